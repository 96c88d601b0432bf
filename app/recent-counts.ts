/**
 * The fleet's counts for pages that are rendered, read once for all that are asked for at about the same time: they
 * cost more than all else on the page, and the live feed brings fresh ones a moment later. It owns the last ones and
 * the one reading under way; it trades a minute of age at most for a page that does not wait.
 */
import type { FleetCounts } from '@/core/live/protocol';

/** Younger ones are as good as new. */
const FRESH_MS = 10_000;
/** Older ones are not shown any more. */
const USABLE_MS = 60_000;

export function createRecentCounts(
  load: (nowMs: number) => Promise<FleetCounts>,
): (nowMs: number) => Promise<FleetCounts> {
  let held: { at: number; counts: FleetCounts } | null = null;
  let reading: Promise<FleetCounts> | null = null;

  function read(nowMs: number): Promise<FleetCounts> {
    reading ??= load(nowMs)
      .then((counts) => {
        held = { at: nowMs, counts };
        return counts;
      })
      .finally(() => {
        reading = null;
      });
    return reading;
  }

  return async (nowMs) => {
    const age = held === null ? Number.POSITIVE_INFINITY : nowMs - held.at;
    if (held !== null && age < FRESH_MS) return held.counts;
    const answer = read(nowMs);
    if (held === null || age >= USABLE_MS) return answer;
    // Who waits for nothing hears of no failure: the next one that has to wait does.
    answer.catch(() => undefined);
    return held.counts;
  };
}
