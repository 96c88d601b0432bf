import type { FoldEvidence } from '../api/evidence';
import { weighCountdown } from '../forecast/count-down';
import { weighRate } from '../forecast/plain-rate';
import { getOwn } from './empty-fold';
import type { SessionFold } from './fold-types';
import { findModelWindow } from './model-table';
import type { CompactionOutcome } from './next-boundary';
import { readMain } from './summarize-session';
import type { Thresholds } from './types';

const iso = (ms: number): string => new Date(ms).toISOString();

/** The inputs of the figures of `summarizeSession`. */
export function evidenceOf(
  state: Readonly<SessionFold>,
  thresholds: Readonly<Thresholds>,
  peers: readonly CompactionOutcome[] = [],
): FoldEvidence {
  const main = readMain(state, thresholds, peers);
  const { chain, limit, point } = main;
  const { context, model } = chain;
  const { index, startedBy, mainTurns, turnCount, cumulative, totals, reading } = context;
  const { firstOccupancy, peakOccupancy, tracked } = context;
  const { elevated, warning, critical, redlined, restartLine } = thresholds;
  const table = model === null ? null : findModelWindow(model, state.client);
  const proof = limit.source === 'learned' ? getOwn(chain.learned, model ?? '') : undefined;
  return {
    thresholds: { elevated, warning, critical, redlined, restartLine },
    restartLineBy: state.restartLine === null ? 'project' : 'session',
    context: {
      index,
      startedBy,
      startedAt: context.startedAt === null ? null : iso(context.startedAt),
      mainTurns,
      turnCount,
      cumulative: { ...cumulative },
      totals: { ...totals },
      firstOccupancy,
      peakOccupancy,
      tracked,
    },
    boundaries: {
      restarts: state.continuations,
      compactions: state.compactions,
      clears: index - state.continuations - state.compactions,
    },
    reading: reading && { tokens: reading.tokens, basis: reading.basis },
    limit: {
      tokens: limit.tokens,
      source: limit.source,
      at: limit.at === null ? null : iso(limit.at),
      model,
      proof: proof ? { tokens: proof.readingTokens, at: iso(proof.at) } : null,
      table: table && { models: table.models, tokens: table.tokens, source: table.source, date: table.date },
    },
    compaction: point && { ...point, seen: [...chain.compactedAt] },
    rate: weighRate(chain.growth),
    countdown: countdownOf(state, main),
  };
}

function countdownOf(
  { lens }: Readonly<SessionFold>,
  { chain, ahead }: ReturnType<typeof readMain>,
): FoldEvidence['countdown'] {
  if (ahead === null || ahead.passed) return null;
  const { kind, at, left } = ahead;
  const parts = weighCountdown(chain.record, left, at, lens);
  return typeof parts === 'string' ? null : { kind, at, left, ...parts };
}
