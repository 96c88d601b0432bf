/**
 * The fleet's counts for rendered pages, read once for all pages of about the same time: they cost more than
 * the rest of the page, and the live feed sends fresh ones a moment later. It owns the last counts and the
 * current read; it trades an age of at most a minute for a page that does not wait.
 */
import type { FleetCounts } from '@/core/live/protocol';

/** Younger counts are not read again. */
const FRESH_MS = 10_000;
/** Older counts are not shown. */
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
    // Without a waiting page a failure is ignored: the next page that must wait reports it.
    answer.catch(() => undefined);
    return held.counts;
  };
}
