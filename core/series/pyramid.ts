/**
 * The pyramid of a long chain: buckets of 16 turns, buckets of 8 of those, and so on, so that a chart of a million
 * turns reads as few rows as one of a thousand. Only the last bucket of each level grows: the edge. Plain JSON.
 */
import type { SeriesPoint } from '../api/series';

/** Counted turns of the main chain above which a session has a pyramid. */
export const PYRAMID_MIN_TURNS = 2_000;
/** Turns in a bucket of level 0. */
const PYRAMID_BASE = 16;
/** Buckets of one level in one of the next. */
export const PYRAMID_FACTOR = 8;
/** Levels 0 … 6: a bucket of the last one holds four million turns. */
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
  /** Tokens; null: unknown, or untracked. */
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

/** The open bucket of each level, by level; empty before the first turn. */
export type Edge = Bucket[];

/** A turn as the series has it: its point in the cumulative lens, and what the snapshot lens reads. */
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

/** Adds a turn to the edge, in place; returns the buckets it completed, which never change again. */
export function addTurn(edge: Edge, turn: PyramidTurn): Bucket[] {
  const completed: Bucket[] = [];
  for (let level = 0; level < PYRAMID_LEVELS; level += 1) {
    const index = bucketOf(turn.point.n, level);
    const open = edge[level];
    if (open && open.bucket === index) {
      extend(open, turn);
    } else {
      if (open) completed.push(open);
      edge[level] = begin(level, index, turn);
    }
  }
  return completed;
}

function begin(level: number, bucket: number, { point, cumulative, snapshot }: PyramidTurn): Bucket {
  return {
    level,
    bucket,
    firstTime: point.t,
    lastTime: point.t,
    cumulative: { min: cumulative, max: cumulative, last: cumulative },
    snapshot: { min: snapshot, max: snapshot, last: snapshot },
    input: point.input,
    output: point.output,
    cacheRead: point.cacheRead,
    cacheCreation: point.cacheCreation,
    cumulativeInput: point.cumulativeInput,
    cumulativeOutput: point.cumulativeOutput,
    cumulativeCacheRead: point.cumulativeCacheRead,
    limit: point.limit,
    turns: point.turns,
    lastNumber: point.n,
    context: point.context,
    estimated: point.estimated,
    untracked: point.untracked,
  };
}

function extend(bucket: Bucket, { point, cumulative, snapshot }: PyramidTurn): void {
  bucket.lastTime = point.t;
  widen(bucket.cumulative, cumulative);
  widen(bucket.snapshot, snapshot);
  bucket.input += point.input;
  bucket.output += point.output;
  bucket.cacheRead += point.cacheRead;
  bucket.cacheCreation += point.cacheCreation;
  bucket.cumulativeInput = point.cumulativeInput;
  bucket.cumulativeOutput = point.cumulativeOutput;
  bucket.cumulativeCacheRead = point.cumulativeCacheRead;
  bucket.limit = point.limit;
  bucket.turns += point.turns;
  bucket.lastNumber = point.n;
  bucket.context = point.context;
  bucket.estimated = point.estimated;
  bucket.untracked = point.untracked;
}

function widen(range: Range3, value: number | null): void {
  range.last = value;
  if (value === null) return;
  range.min = range.min === null ? value : Math.min(range.min, value);
  range.max = range.max === null ? value : Math.max(range.max, value);
}
