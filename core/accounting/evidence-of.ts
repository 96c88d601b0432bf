import type { FoldEvidence } from '../api/evidence';
import { weighCountdown } from '../forecast/count-down';
import { weighRate } from '../forecast/plain-rate';
import { compactionPoint } from './compaction-point';
import { emptyChain, getOwn, MAIN_CHAIN } from './empty-fold';
import type { ChainFold, SessionFold } from './fold-types';
import { usedByLens } from './lens';
import { findModelWindow } from './model-table';
import { restartLineOf } from './movement';
import { nextBoundary } from './next-boundary';

import { limitInForce } from './summarize-session';
import type { Thresholds } from './types';

export function evidenceOf(state: Readonly<SessionFold>, thresholds: Readonly<Thresholds>): FoldEvidence {
  const chain = getOwn(state.chains, MAIN_CHAIN) ?? emptyChain();
  const { context } = chain;
  const { elevated, warning, critical, redlined, restartLine } = thresholds;
  const limit = limitInForce(state, chain);
  const window = chain.model === null ? null : findModelWindow(chain.model);
  const point = compactionPoint(state, chain);
  return {
    thresholds: { elevated, warning, critical, redlined, restartLine },
    restartLineBy: state.restartLine === null ? 'project' : 'session',
    context: {
      index: context.index,
      startedBy: context.startedBy,
      startedAt: context.startedAt === null ? null : new Date(context.startedAt).toISOString(),
      mainTurns: context.mainTurns,
      turnCount: context.turnCount,
      cumulative: { ...context.cumulative },
      totals: { ...context.totals },
      firstOccupancy: context.firstOccupancy,
      peakOccupancy: context.peakOccupancy,
      tracked: context.tracked,
    },
    boundaries: {
      restarts: state.continuations,
      compactions: state.compactions,
      clears: context.index - state.continuations - state.compactions,
    },
    reading:
      context.reading === null ? null : { tokens: context.reading.tokens, basis: context.reading.basis },
    limit: {
      tokens: limit.tokens,
      source: limit.source,
      model: chain.model,
      table:
        window === null
          ? null
          : { models: window.models, tokens: window.tokens, source: window.source, date: window.date },
    },
    compaction: point === null ? null : { ...point, seen: [...chain.compactedAt] },
    rate: weighRate(chain.growth),
    countdown: countdownOf(state, chain, restartLineOf(state, thresholds)),
  };
}

function countdownOf(
  state: Readonly<SessionFold>,
  chain: Readonly<ChainFold>,
  restartLine: number,
): FoldEvidence['countdown'] {
  const used = usedByLens(chain.context, state.lens);
  const { tokens: limit } = limitInForce(state, chain);
  // The owner of the line makes no difference to the count.
  const ahead = nextBoundary(used, limit, restartLine, false, compactionPoint(state, chain));
  if (ahead === null || ahead.passed) return null;
  const { kind, at, left } = ahead;
  const parts = weighCountdown(chain.record, left, at, state.lens);
  return typeof parts === 'string' ? null : { kind, at, left, ...parts };
}
