import type { Evidence } from '../api/evidence';
import { explainLens } from './explain-lens';
import {
  explainContextNumber,
  explainContexts,
  explainLimit,
  explainPressure,
  explainState,
  explainUsed,
} from './explain-pressure';
import { explainMinutes, explainTokensPerMinute, explainTokensPerTurn, explainTurns } from './explain-rate';
import { explainCacheShare, explainPeak, explainSpent, explainSums } from './explain-sums';
import { explainUntilEnd, explainUntilRestart, explainUntilWarning } from './explain-until';
import type { Explanation } from './explanation';

/** Every number of a session that answers "why?", by the name it is asked by. */
export const SESSION_FIGURES = {
  pressure: explainPressure,
  used: explainUsed,
  limit: explainLimit,
  state: explainState,
  'until-warning': explainUntilWarning,
  'until-restart': explainUntilRestart,
  'until-end': explainUntilEnd,
  minutes: explainMinutes,
  turns: explainTurns,
  'a-minute': explainTokensPerMinute,
  'a-turn': explainTokensPerTurn,
  contexts: explainContexts,
  context: explainContextNumber,
  peak: explainPeak,
  sums: explainSums,
  spent: explainSpent,
  'cache-share': explainCacheShare,
  snapshot: (e: Evidence) => explainLens(e, 'snapshot'),
  cumulative: (e: Evidence) => explainLens(e, 'cumulative'),
  'last-turn': (e: Evidence) => explainLens(e, 'last-turn'),
  'cache-inflated': (e: Evidence) => explainLens(e, 'cache-inflated'),
} as const satisfies Record<string, (e: Evidence) => Explanation>;

export type SessionFigure = keyof typeof SESSION_FIGURES;
