/**
 * The pyramid of a long chain: buckets of 16 turns, buckets of 8 such buckets, and so on. A chart of a million turns
 * needs as few rows as a chart of a thousand. Only the edge changes: the last bucket of each level. Plain JSON.
 */
import type { SeriesPoint } from '../api/series';

/** A session has a pyramid if its main chain has more counted turns. */
export const PYRAMID_MIN_TURNS = 2_000;
const PYRAMID_BASE = 16;
export const PYRAMID_FACTOR = 8;
/** Levels 0 to 6. A bucket of level 6 covers four million turns. */
export const PYRAMID_LEVELS = 7;

interface Range3 {
  min: number | null;
  max: number | null;
  last: number | null;
}

export interface Bucket {
  level: number;
  bucket: number;
  firstTime: number;
  lastTime: number;
  /** Tokens. Null: unknown or untracked. */
  cumulative: Range3;
  snapshot: Range3;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
  cumulativeInput: number;
  cumulativeOutput: number;
  cumulativeCacheRead: number;
  limit: number | null;
  turns: number;
  lastNumber: number;
  context: number;
  estimated: boolean;
  untracked: boolean;
}

/** The open bucket of each level, by level. Empty before the first turn. */
export type Edge = Bucket[];

/** A turn of the series: its point in the cumulative lens, and the value of the snapshot lens. */
export interface PyramidTurn {
  point: Omit<SeriesPoint, 'used' | 'min' | 'max' | 'totalCacheRead' | 'totalCacheCreation'>;
  cumulative: number | null;
  snapshot: number | null;
}

export function bucketTurns(level: number): number {
  return PYRAMID_BASE * PYRAMID_FACTOR ** level;
}

export function bucketOf(number: number, level: number): number {
  return Math.floor((Math.max(1, number) - 1) / bucketTurns(level));
}

/** Adds a turn to the edge, in place. Returns the completed buckets, which never change again. */
export function addTurn(edge: Edge, turn: PyramidTurn): Bucket[] {
  const completed: Bucket[] = [];
  for (let level = 0; level < PYRAMID_LEVELS; level += 1) {
    const bucket = bucketOf(turn.point.n, level);
    const open = edge[level];
    if (open?.bucket === bucket) {
      extend(open, turn);
    } else {
      if (open) completed.push(open);
      edge[level] = begin(level, bucket, turn);
    }
  }
  return completed;
}

/** Fields of a bucket that come from its last turn. */
const latest = ({ point }: PyramidTurn) => ({
  lastTime: point.t,
  cumulativeInput: point.cumulativeInput,
  cumulativeOutput: point.cumulativeOutput,
  cumulativeCacheRead: point.cumulativeCacheRead,
  limit: point.limit,
  lastNumber: point.n,
  context: point.context,
  estimated: point.estimated,
  untracked: point.untracked,
});

const SUMS = ['input', 'output', 'cacheRead', 'cacheCreation', 'turns'] as const;

function begin(level: number, bucket: number, turn: PyramidTurn): Bucket {
  const { point, cumulative, snapshot } = turn;
  const { input, output, cacheRead, cacheCreation, turns } = point;
  return {
    level,
    bucket,
    firstTime: point.t,
    cumulative: { min: cumulative, max: cumulative, last: cumulative },
    snapshot: { min: snapshot, max: snapshot, last: snapshot },
    ...{ input, output, cacheRead, cacheCreation, turns },
    ...latest(turn),
  };
}

function extend(bucket: Bucket, turn: PyramidTurn): void {
  widen(bucket.cumulative, turn.cumulative);
  widen(bucket.snapshot, turn.snapshot);
  for (const name of SUMS) bucket[name] += turn.point[name];
  Object.assign(bucket, latest(turn));
}

function widen(range: Range3, value: number | null): void {
  range.last = value;
  if (value === null) return;
  range.min = range.min === null ? value : Math.min(range.min, value);
  range.max = range.max === null ? value : Math.max(range.max, value);
}
