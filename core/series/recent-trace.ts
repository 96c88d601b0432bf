/**
 * The trace of the last hour for small charts, with at most 60 points. Rising points within 75 seconds are merged into
 * the last point. Boundaries and falls are kept. Times are chart times, which never go back.
 */
import type { RecentTrace } from '../api/session';

type TracePoint = RecentTrace[number];

/** A turn or a boundary. If the value after a boundary is unknown, the next known point repeats its kind. */
export const TRACE_KIND = { turn: 0, compaction: 1, restart: 2, clear: 3 } as const;
export type TraceKind = (typeof TRACE_KIND)[keyof typeof TRACE_KIND];

const TRACE_SECONDS = 3_600;
const TRACE_POINTS = 60;
const BUCKET_SECONDS = 75;

/** Adds a point, in place. A full trace drops the least important point. @param usedTokens null: unknown */
export function pushTrace(
  trace: RecentTrace,
  atMs: number,
  usedTokens: number | null,
  kind: TraceKind,
): void {
  const t = Math.floor(atMs / 1000);
  const last = trace.at(-1);
  if (last && kind === TRACE_KIND.turn && last[1] === null) {
    // The trace already shows a gap. The first known value ends the gap and repeats the boundary's kind.
    if (usedTokens === null) return;
    trace.push([t, usedTokens, last[2]]);
  } else if (last && kind === TRACE_KIND.turn && canReplace(trace, last, t, usedTokens)) {
    last[0] = t;
    last[1] = usedTokens;
  } else {
    trace.push([t, usedTokens, kind]);
  }
  dropOld(trace, t - TRACE_SECONDS);
  if (trace.length > TRACE_POINTS) thin(trace);
}

/** Whether the new turn can replace the last point: same bucket, no fall, no boundary. */
function canReplace(trace: RecentTrace, last: TracePoint, t: number, used: number | null): boolean {
  if (last[2] !== TRACE_KIND.turn) return false;
  if (last[1] === null || used === null || used < last[1]) return false;
  const before = trace.at(-2);
  if (before === undefined || before[2] !== TRACE_KIND.turn || before[1] === null) return false;
  // The lowest point of a fall is kept, too.
  if (last[1] < before[1]) return false;
  return Math.floor(t / BUCKET_SECONDS) === Math.floor(last[0] / BUCKET_SECONDS);
}

/** Drops points before the bound, except the newest of them, because its value is still current at the bound. */
function dropOld(trace: RecentTrace, bound: number): void {
  let old = 0;
  while (old + 1 < trace.length && (trace[old + 1]?.[0] ?? bound) <= bound) old += 1;
  if (old > 0) trace.splice(0, old);
}

function thin(trace: RecentTrace): void {
  let least = Number.POSITIVE_INFINITY;
  let index = 0;
  for (let i = 1; i < trace.length - 1; i += 1) {
    const loss = lossWithout(trace[i - 1], trace[i], trace[i + 1]);
    if (loss < least) {
      least = loss;
      index = i;
    }
  }
  // If only boundaries and falls remain, the oldest point is dropped.
  trace.splice(index, 1);
}

/** The rise that dropping a point hides; infinite at a boundary and before a fall. */
function lossWithout(
  before: TracePoint | undefined,
  point: TracePoint | undefined,
  after: TracePoint | undefined,
): number {
  if (before === undefined || point === undefined || after === undefined) return Number.POSITIVE_INFINITY;
  if (point[2] !== TRACE_KIND.turn || after[2] !== TRACE_KIND.turn) return Number.POSITIVE_INFINITY;
  if (point[1] === null || after[1] === null || before[1] === null) return Number.POSITIVE_INFINITY;
  if (after[1] < point[1] || point[1] < before[1]) return Number.POSITIVE_INFINITY;
  return point[1] - before[1];
}
