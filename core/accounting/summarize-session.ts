import { troubleSentence } from '../events/trouble-sentence';
import { plainRate } from '../forecast/plain-rate';
import { addTotals } from './counts';
import { emptyChain, getOwn, MAIN_CHAIN } from './empty-fold';
import type { ChainFold, SessionFold } from './fold-types';
import { usedByLens } from './lens';
import { resolveLimit } from './limit';
import { findModelWindow } from './model-table';
import { restartLineOf } from './movement';
import { type CompactionOutcome, compactionPoint, forecastOf, nextBoundary } from './next-boundary';
import { pressureOf, stateOf, tokensUntil } from './state';
import { isNever, ownBounds } from './thresholds';
import type { Thresholds } from './types';

const iso = (ms: number): string => new Date(ms).toISOString();

/** The main chain, its limit and its next boundary. */
export function readMain(
  state: Readonly<SessionFold>,
  thresholds: Readonly<Thresholds>,
  peers: readonly CompactionOutcome[],
) {
  const chain = getOwn(state.chains, MAIN_CHAIN) ?? emptyChain();
  // Before the first main turn: the limit that a turn would get.
  const limit =
    chain.limit.source === 'none' ? resolveLimit(state, chain, chain.model, undefined) : chain.limit;
  const used = usedByLens(chain.context, state.lens);
  const restartLine = restartLineOf(state, thresholds);
  // A line that is only a project setting restarts nothing.
  const restarts = state.restartLine !== null || state.continuations > 0;
  const point = compactionPoint(state, chain, peers);
  const ahead = nextBoundary(used, limit.tokens, restarts ? restartLine : null, point);
  return { chain, limit, used, restartLine, point, ahead };
}

/**
 * The figures of a session, as the read API returns them.
 * @param peers outcomes of other sessions of this client, version and window
 */
export function summarizeSession(
  state: Readonly<SessionFold>,
  thresholds: Readonly<Thresholds>,
  peers: readonly CompactionOutcome[] = [],
) {
  const main = readMain(state, thresholds, peers);
  const { chain, used, restartLine, point, ahead } = main;
  const { tokens: limit, source: limitSource } = main.limit;
  const { context } = chain;
  const isUntracked = state.lens === 'cumulative' && !context.tracked;
  const pressure = isUntracked ? 0 : pressureOf(used, limit);
  const forecast = forecastOf(ahead, chain.record, state.lens);
  const { turns = null, minutes = null } = forecast ?? {};
  const { tokensPerMinute, tokensPerTurn } = plainRate(chain.growth);
  const { totals, trouble, archiveFailure } = state;
  const tokensLeft = (line: number) =>
    limit === null || used === null ? null : tokensUntil(line, limit, used);
  return {
    lens: state.lens,
    limit,
    limitSource,
    limitDate:
      limitSource === 'table' ? (findModelWindow(chain.model ?? '', state.client)?.date ?? null) : null,
    pressure,
    state: isUntracked ? 'untracked' : stateOf(pressure, thresholds),
    used,
    lastKnownUsed: used ?? chain.lastKnown[state.lens],
    estimated: state.lens === 'snapshot' && context.reading?.basis === 'estimate',
    complete: context.complete,
    continuations: state.continuations,
    compactions: state.compactions,
    contextCount: context.index + 1,
    turnCount: totals.main.calls + totals.side.calls,
    totals: { main: { ...totals.main }, side: { ...totals.side }, all: addTotals(totals.main, totals.side) },
    tokensUntilWarning: tokensLeft(thresholds.warning),
    tokensUntilRestart: isNever(restartLine) ? null : tokensLeft(restartLine),
    restartLine: isNever(restartLine) ? null : restartLine,
    restartLinePassed: restartLinePassedOf(state, chain, restartLine, pressure),
    bounds: ownBounds(thresholds),
    compactsAt: point?.passed === false ? point.tokens : null,
    compactionPassed: point?.passed ? point.tokens : null,
    nextBoundary: ahead && { ...ahead, turns: turns?.mid ?? null, minutes: minutes?.mid ?? null },
    forecast,
    tokensPerMinute,
    tokensPerTurn,
    trouble: trouble ? troubleOf(trouble) : null,
    compacting: compactingOf(state, chain),
    archiveFailure: archiveFailure ? { ...archiveFailure, at: iso(archiveFailure.at) } : null,
    trace: state.trace,
    model: chain.model,
    client: state.client,
    clientVersion: state.clientVersion,
    backfill: state.backfill,
    lastTurnAtMs: state.lastTurnAt,
    ended: state.ended,
  };
}

function restartLinePassedOf(
  { restartLinePassed }: Readonly<SessionFold>,
  { context }: Readonly<ChainFold>,
  restartLine: number,
  pressure: number | null,
) {
  if (!restartLinePassed || pressure === null || pressure < restartLine) return null;
  const { at, mainTurns } = restartLinePassed;
  return { at: iso(at), turnsSince: Math.max(0, context.mainTurns - mainTurns) };
}

function troubleOf(trouble: NonNullable<SessionFold['trouble']>) {
  const { kind, at, context, turn } = trouble;
  return { kind, at: iso(at), context, turn, sentence: troubleSentence(trouble) };
}

/** An announced compaction without a later turn or end. Hooks and transcripts arrive in any order, so times decide. */
function compactingOf({ ended }: Readonly<SessionFold>, chain: Readonly<ChainFold>) {
  const last = chain.compactions.at(-1);
  if (ended || last?.state !== 'pending' || last.turnSince || last.boundary !== null) return null;
  const isPast = chain.context.lastMainAt !== null && last.at < chain.context.lastMainAt;
  return isPast ? null : { trigger: last.trigger ?? 'auto', at: iso(last.at) };
}
