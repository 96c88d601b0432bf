import { type EffectiveTime, effectiveTime } from '../../core/identity/clock';
import type { ClockJudgement } from '../codes/turn-bits';

/** The time a stored item is shown at. `backfill` as the session stands where the item does. */
export function timeOf(
  row: { runnerTime: number; serverTime: number; clock: ClockJudgement },
  backfill: boolean,
): EffectiveTime {
  return effectiveTime({
    runnerMs: row.runnerTime,
    serverMs: row.serverTime,
    clockBehindMs: row.clock === 'right' ? 0 : null,
    backfill,
  });
}
