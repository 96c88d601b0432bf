/** Reads, builds, extends and writes the stored pyramid of a long session. */
import type postgres from 'postgres';
import { usedOfTurn } from '../../core/accounting/lens';
import {
  addTurn,
  type Bucket,
  bucketOf,
  type Edge,
  PYRAMID_LEVELS,
  type PyramidTurn,
} from '../../core/series/pyramid';
import { turnPoints } from '../../core/series/turn-points';
import { flagBit } from '../codes/turn-bits';
import { mapInSlices } from '../queries/load-session';
import { SERIES_TURN, type SeriesTurnRow, toSeriesTurn } from '../queries/series/turn-rows';
import { pyramid } from '../schema/turns';
import { columnsText, type Row } from '../tables';

export interface Pyramid {
  completed: Bucket[];
  edge: Edge;
}

type BucketRow = Row<typeof pyramid>;

const LEVELS = Array.from({ length: PYRAMID_LEVELS }, (_, level) => level);
const ESTIMATED = flagBit('estimated');
const UNTRACKED = flagBit('untracked');

/** Read the open buckets of a pyramid after `turnCount` turns of the main chain. */
export async function readPyramid(
  tx: postgres.TransactionSql,
  sessionId: number,
  turnCount: number,
): Promise<Pyramid> {
  const buckets = LEVELS.map((level) => bucketOf(turnCount, level));
  const rows = await tx<BucketRow[]>`
    select ${tx.unsafe(columnsText(pyramid, 'p'))}
    from unnest(${`{${LEVELS}}`}::text::smallint[], ${`{${buckets}}`}::text::int[]) as r (level, bucket)
    join pyramid p on p.session_id = ${sessionId} and p.level = r.level and p.bucket = r.bucket
    order by p.level`;
  return { completed: [], edge: rows.map(bucketFrom) };
}

/** Build the pyramid of a main chain up to `position` from its stored turns. */
export async function buildPyramid(
  tx: postgres.TransactionSql,
  sessionId: number,
  position: number,
): Promise<Pyramid> {
  const rows = await tx<SeriesTurnRow[]>`
    select ${tx.unsafe(SERIES_TURN)} from turns t
    where t.session_id = ${sessionId} and t.chain = 0 and t.position <= ${position}
    order by t.position`;
  const turns = await mapInSlices(rows, toSeriesTurn);
  const built: Pyramid = { completed: [], edge: [] };
  await mapInSlices(turnPoints(turns, 'snapshot'), (point) => {
    const cumulative = usedOfTurn({ ...point, reading: null }, 'cumulative');
    extendPyramid(built, [{ point, cumulative, snapshot: point.used }]);
  });
  return built;
}

export function extendPyramid(built: Pyramid, turns: readonly PyramidTurn[]): void {
  for (const turn of turns) built.completed.push(...addTurn(built.edge, turn));
}

export function writePyramid(
  writes: { buckets: BucketRow[] },
  sessionId: number,
  { completed, edge }: Pyramid,
): void {
  for (const bucket of [...completed, ...edge]) {
    const { cumulative, snapshot, limit, estimated, untracked, ...rest } = bucket;
    writes.buckets.push({
      ...rest,
      sessionId,
      cumulativeMin: cumulative.min,
      cumulativeMax: cumulative.max,
      cumulativeLast: cumulative.last,
      snapshotMin: snapshot.min,
      snapshotMax: snapshot.max,
      snapshotLast: snapshot.last,
      limitTokens: limit,
      bits: (estimated ? ESTIMATED : 0) | (untracked ? UNTRACKED : 0),
    });
  }
}

function bucketFrom({ sessionId: _, bits, limitTokens, ...row }: BucketRow): Bucket {
  const { cumulativeMin, cumulativeMax, cumulativeLast, snapshotMin, snapshotMax, snapshotLast, ...sums } =
    row;
  return {
    ...sums,
    limit: limitTokens,
    cumulative: { min: cumulativeMin, max: cumulativeMax, last: cumulativeLast },
    snapshot: { min: snapshotMin, max: snapshotMax, last: snapshotLast },
    estimated: (bits & ESTIMATED) !== 0,
    untracked: (bits & UNTRACKED) !== 0,
  };
}
