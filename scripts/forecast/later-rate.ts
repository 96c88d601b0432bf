import { emptyGrowthRecord, recordTurn } from '../../core/forecast/growth-record';
import { meanOf } from '../../core/forecast/tally';
import type { ReplayedContext } from './replay-session';

/** Contexts with fewer turns tell no rate. */
const LEAST_TURNS = 25;

/** Tokens per turn in the later half of contexts, their geometric mean; null where none is long enough. */
export function laterRate(contexts: readonly ReplayedContext[]): number | null {
  const logs = contexts.flatMap(({ moments }) => {
    if (moments.length < LEAST_TURNS) return [];
    const later = moments.slice(Math.floor(moments.length / 2));
    const record = emptyGrowthRecord();
    later.slice(1).forEach((moment, i) => {
      recordTurn(record, 0, moment.used - (later[i]?.used ?? moment.used));
    });
    const rate = meanOf(record.growth);
    return rate > 0 ? [Math.log(rate)] : [];
  });
  if (logs.length === 0) return null;
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
}
