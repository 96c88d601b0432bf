import type { Session } from '@/core/api/session';
import { TRACE_KIND } from '@/core/series/recent-trace';

export interface BoundaryCounts {
  compactions: number;
  restarts: number;
}

/** Count boundaries in the traces. A boundary with a late reading has two points, the first without a value. */
export function countBoundaries(sessions: Iterable<Session>, sinceMs: number): BoundaryCounts {
  const counts = { compactions: 0, restarts: 0 };
  for (const { trace } of sessions) {
    for (const [index, [seconds, , kind]] of trace.entries()) {
      if (kind === TRACE_KIND.turn || seconds * 1_000 < sinceMs) continue;
      const before = trace[index - 1];
      if (before?.[2] === kind && before[1] === null) continue;
      if (kind === TRACE_KIND.compaction) counts.compactions += 1;
      if (kind === TRACE_KIND.restart) counts.restarts += 1;
    }
  }
  return counts;
}
