import type { Session } from '../api/session';
import { troubleSentence } from '../events/trouble-sentence';
import { plainRate } from '../forecast/plain-rate';
import { compactionPoint } from './compaction-point';
import { addTotals } from './counts';
import { emptyChain, getOwn, MAIN_CHAIN } from './empty-fold';
import type { ChainFold, SessionFold } from './fold-types';
import { usedByLens } from './lens';
import { resolveLimit } from './limit';
import { findModelWindow } from './model-table';
import { restartLineOf } from './movement';
import { forecastOf, nextBoundary } from './next-boundary';

import { pressureOf, stateOf, tokensUntil } from './state';
import { isNever, ownBounds } from './thresholds';
import type { PressureState, Thresholds } from './types';

export type SessionSummary = Pick<
  Session,
  | 'lens'
  | 'limit'
  | 'limitSource'
  | 'limitDate'
  | 'pressure'
  | 'state'
  | 'used'
  | 'lastKnownUsed'
  | 'estimated'
  | 'complete'
  | 'continuations'
  | 'compactions'
  | 'contextCount'
  | 'turnCount'
  | 'totals'
  | 'tokensUntilWarning'
  | 'tokensUntilRestart'
  | 'restartLine'
  | 'restartLinePassed'
  | 'bounds'
  | 'compactsAt'
  | 'nextBoundary'
  | 'forecast'
  | 'tokensPerMinute'
  | 'tokensPerTurn'
  | 'trouble'
  | 'compacting'
  | 'archiveFailure'
  | 'trace'
  | 'model'
  | 'client'
  | 'clientVersion'
  | 'backfill'
> & {
  lastTurnAtMs: number | null;
  ended: boolean;
};

export function summarizeSession(
  state: Readonly<SessionFold>,
  thresholds: Readonly<Thresholds>,
): SessionSummary {
  const chain = getOwn(state.chains, MAIN_CHAIN) ?? emptyChain();
  const { context } = chain;
  const { tokens: limit, source: limitSource } = limitInForce(state, chain);
  const isUntracked = state.lens === 'cumulative' && !context.tracked;
  const used = usedByLens(context, state.lens);
  const pressure = isUntracked ? 0 : pressureOf(used, limit);
  const restartLine = restartLineOf(state, thresholds);
  const isRunnersLine = state.restartLine !== null || state.continuations > 0;
  const point = compactionPoint(state, chain);
  const rate = plainRate(chain.growth);
  const ahead = nextBoundary(used, limit, restartLine, isRunnersLine, point);
  const forecast = forecastOf(ahead, chain.record, state.lens);
  const { main, side } = state.totals;
  return {
    lens: state.lens,
    limit,
    limitSource,
    limitDate: limitSource === 'table' && chain.model !== null ? tableDate(chain.model) : null,
    pressure,
    state: summaryState(isUntracked, pressure, thresholds),
    used,
    lastKnownUsed: used ?? lastKnown(state, chain),
    estimated: state.lens === 'snapshot' && context.reading?.basis === 'estimate',
    complete: context.complete,
    continuations: state.continuations,
    compactions: state.compactions,
    contextCount: context.index + 1,
    turnCount: main.calls + side.calls,
    totals: { main: { ...main }, side: { ...side }, all: addTotals(main, side) },
    tokensUntilWarning: untilLine(thresholds.warning, limit, used),
    tokensUntilRestart: isNever(restartLine) ? null : untilLine(restartLine, limit, used),
    restartLine: isNever(restartLine) ? null : restartLine,
    restartLinePassed: restartLinePassedOf(state, chain, restartLine, pressure),
    bounds: ownBounds(thresholds),
    compactsAt: point?.tokens ?? null,
    nextBoundary:
      ahead === null
        ? null
        : {
            ...ahead,
            turns: forecast?.turns?.mid ?? null,
            minutes: forecast?.minutes?.mid ?? null,
          },
    forecast,
    tokensPerMinute: rate.tokensPerMinute,
    tokensPerTurn: rate.tokensPerTurn,
    trouble: troubleOf(state),
    compacting: compactingOf(state, chain),
    archiveFailure: archiveFailureOf(state),
    trace: state.trace,
    model: chain.model,
    client: state.client,
    clientVersion: state.clientVersion,
    backfill: state.backfill,
    lastTurnAtMs: state.lastTurnAt,
    ended: state.ended,
  };
}

/** The limit of the last main turn; before the first one, what a turn would be measured against. */
export function limitInForce(state: Readonly<SessionFold>, chain: Readonly<ChainFold>): ChainFold['limit'] {
  return chain.limit.source === 'none' ? resolveLimit(state, chain, chain.model, undefined) : chain.limit;
}

function tableDate(model: string): string | null {
  // A limit by the table was found there, with its date.
  return findModelWindow(model)?.date ?? null;
}

/** Since when the line lies behind, while it does: the project may have moved it since. */
function restartLinePassedOf(
  { restartLinePassed }: Readonly<SessionFold>,
  { context }: Readonly<ChainFold>,
  restartLine: number,
  pressure: number | null,
): SessionSummary['restartLinePassed'] {
  if (!restartLinePassed || pressure === null || pressure < restartLine) return null;
  const { at, mainTurns } = restartLinePassed;
  return { at: new Date(at).toISOString(), turnsSince: Math.max(0, context.mainTurns - mainTurns) };
}

function troubleOf({ trouble }: Readonly<SessionFold>): SessionSummary['trouble'] {
  if (trouble === undefined || trouble === null) return null;
  const { kind, at, context, turn } = trouble;
  return { kind, at: new Date(at).toISOString(), context, turn, sentence: troubleSentence(trouble) };
}

/** Announced, and since then neither ended nor a turn. Hooks and transcripts are two streams, in any order. */
function compactingOf(
  { ended }: Readonly<SessionFold>,
  chain: Readonly<ChainFold>,
): SessionSummary['compacting'] {
  const last = chain.compactions.at(-1);
  if (ended || last?.state !== 'pending' || last.turnSince) return null;
  const isPast = chain.context.lastMainAt !== null && last.at < chain.context.lastMainAt;
  return isPast ? null : { trigger: last.trigger, at: new Date(last.at).toISOString() };
}

function archiveFailureOf({ archiveFailure }: Readonly<SessionFold>): SessionSummary['archiveFailure'] {
  if (archiveFailure === undefined || archiveFailure === null) return null;
  return { at: new Date(archiveFailure.at).toISOString(), reason: archiveFailure.reason };
}

function summaryState(
  isUntracked: boolean,
  pressure: number | null,
  thresholds: Readonly<Thresholds>,
): PressureState {
  return isUntracked ? 'untracked' : stateOf(pressure, thresholds);
}

function lastKnown(state: Readonly<SessionFold>, chain: Readonly<ChainFold>): number | null {
  if (state.lens === 'snapshot') return chain.lastKnown.snapshot;
  return chain.lastKnown.cumulative;
}

function untilLine(line: number, limit: number | null, used: number | null): number | null {
  return limit === null || used === null ? null : tokensUntil(line, limit, used);
}
