import type { Evidence } from '../api/evidence';
import * as context from './explain-context';
import * as left from './explain-left';
import { explainLens } from './explain-lens';
import type { Explanation } from './explanation';

/** The explanation of every number of a session, by name. */
export const SESSION_FIGURES = {
  pressure: context.explainPressure,
  used: context.explainUsed,
  limit: context.explainLimit,
  state: context.explainState,
  'until-warning': left.explainUntilWarning,
  'until-restart': left.explainUntilRestart,
  'until-end': left.explainUntilEnd,
  minutes: left.explainMinutes,
  turns: left.explainTurns,
  'a-minute': left.explainTokensPerMinute,
  'a-turn': left.explainTokensPerTurn,
  contexts: context.explainContexts,
  context: context.explainContextNumber,
  peak: context.explainPeak,
  spent: context.explainSpent,
  'cache-share': context.explainCacheShare,
  snapshot: (e: Evidence) => explainLens(e, 'snapshot'),
  cumulative: (e: Evidence) => explainLens(e, 'cumulative'),
  'last-turn': (e: Evidence) => explainLens(e, 'last-turn'),
  'cache-inflated': (e: Evidence) => explainLens(e, 'cache-inflated'),
} as const satisfies Record<string, (e: Evidence) => Explanation>;

export type SessionFigure = keyof typeof SESSION_FIGURES;
