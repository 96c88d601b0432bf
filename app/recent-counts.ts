/**
 * The fleet's counts for rendered pages, read once for pages of about the same time: they cost more than the rest of the
 * page, and the live feed sends fresh ones a moment later.
 */
import type { FleetCounts } from '@/core/live/protocol';

/** Younger counts are not read again. */
const FRESH_MS = 10_000;
/** Older counts are not shown. */
const USABLE_MS = 60_000;

export function createRecentCounts(
  load: (nowMs: number) => Promise<FleetCounts>,
): (nowMs: number) => Promise<FleetCounts> {
  let held: { at: number; counts: FleetCounts } | undefined;
  let reading: Promise<FleetCounts> | undefined;

  async function read(nowMs: number): Promise<FleetCounts> {
    try {
      const counts = await load(nowMs);
      held = { at: nowMs, counts };
      return counts;
    } finally {
      reading = undefined;
    }
  }

  return async (nowMs) => {
    const last = held;
    const ageMs = nowMs - (last?.at ?? Number.NEGATIVE_INFINITY);
    if (last && ageMs < FRESH_MS) return last.counts;
    reading ??= read(nowMs);
    if (!last || ageMs >= USABLE_MS) return reading;
    // No page waits for this read: the next one that does reports its failure.
    reading.catch(() => undefined);
    return last.counts;
  };
}
