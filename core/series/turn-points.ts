import { usedOfTurn } from '../accounting/lens';
import type { Lens } from '../accounting/types';
import type { SeriesPoint } from '../api/series';

/** A stored row of one chain for a chart. The counts are never negative, and 0 if totals exclude the row. */
export interface SeriesTurn {
  t: number;
  n: number;
  context: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
  cumulativeInput: number;
  cumulativeOutput: number;
  cumulativeCacheRead: number;
  reading: number | null;
  limit: number | null;
  counted: boolean;
  /** A main-scope call with usage. */
  spendsMain: boolean;
  /** The row's reading becomes the snapshot. */
  readingUsed: boolean;
  /** The snapshot has a value after this row. */
  snapshotKnown: boolean;
  estimated: boolean;
  untracked: boolean;
}

export interface Standing {
  context: number;
  snapshot: { tokens: number; estimated: boolean } | null;
}

/** One point per row. Uncounted rows without a used reading have no point. @param before the state before the rows */
export function turnPoints(
  turns: readonly SeriesTurn[],
  lens: Lens,
  before: Standing | null = null,
): SeriesPoint[] {
  const points: SeriesPoint[] = [];
  let context = before?.context ?? null;
  let snapshot = before?.snapshot ?? null;
  let spent: { input: number; output: number; cacheRead: number } | null = null;
  for (const turn of turns) {
    if (turn.context !== context) {
      context = turn.context;
      snapshot = null;
      spent = null;
    }
    if (turn.readingUsed && turn.reading !== null) {
      snapshot = { tokens: turn.reading, estimated: turn.estimated };
    } else if (!turn.snapshotKnown) {
      snapshot = null;
    }
    if (turn.spendsMain) spent = { input: turn.input, output: turn.output, cacheRead: turn.cacheRead };
    if (!turn.counted && !turn.readingUsed) continue;
    const isBug = lens === 'last-turn' || lens === 'cache-inflated';
    const isKnown = !isBug || spent !== null;
    const used = isKnown ? usedOfTurn({ ...turn, ...spent, reading: snapshot?.tokens ?? null }, lens) : null;
    points.push(pointOf(turn, used, lens === 'snapshot' && (snapshot?.estimated ?? false)));
  }
  return points;
}

function pointOf(turn: SeriesTurn, used: number | null, estimated: boolean): SeriesPoint {
  const { reading, counted, spendsMain, readingUsed, snapshotKnown, ...own } = turn;
  return {
    ...own,
    used,
    min: used,
    max: used,
    turns: counted ? 1 : 0,
    totalCacheRead: null,
    totalCacheCreation: null,
    estimated,
  };
}
