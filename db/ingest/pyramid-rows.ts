/** The stored pyramid: its open buckets read back, and built from the turns where a session grows into one. */
import type postgres from 'postgres';
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
import { type SeriesTurnRow, seriesTurnColumns, toSeriesTurn } from '../queries/series/turn-rows';
import { toJsonText } from './json-text';
import type { Place } from './rows';

interface BucketRow {
  sessionId: number;
  level: number;
  bucket: number;
  firstTime: Date;
  lastTime: Date;
  cumulativeMin: number | null;
  cumulativeMax: number | null;
  cumulativeLast: number | null;
  snapshotMin: number | null;
  snapshotMax: number | null;
  snapshotLast: number | null;
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
  bits: number;
}

/** The open buckets of sessions that go on at their end, by session id. `turnCount`: turns of the main chain. */
export async function readEdges(
  tx: postgres.TransactionSql,
  sessions: readonly (Place & { turnCount: number })[],
): Promise<Map<number, Edge>> {
  const edges = new Map<number, Edge>();
  const keys = sessions.flatMap(({ id, month, turnCount }) =>
    Array.from({ length: PYRAMID_LEVELS }, (_, level) => ({
      m: month,
      s: id,
      v: level,
      b: bucketOf(turnCount, level),
    })),
  );
  if (keys.length === 0) return edges;
  const rows = await tx<BucketRow[]>`
    select p.session_id as "sessionId", p.level, p.bucket, first_time as "firstTime", last_time as "lastTime",
      cumulative_min as "cumulativeMin", cumulative_max as "cumulativeMax", cumulative_last as "cumulativeLast",
      snapshot_min as "snapshotMin", snapshot_max as "snapshotMax", snapshot_last as "snapshotLast", input, output,
      cache_read as "cacheRead", cache_creation as "cacheCreation", cumulative_input as "cumulativeInput",
      cumulative_output as "cumulativeOutput", cumulative_cache_read as "cumulativeCacheRead",
      limit_tokens as "limit", turns, last_number as "lastNumber", context, bits
    from json_to_recordset(${toJsonText(keys)}::text::json) as r (m smallint, s int, v smallint, b int)
    join pyramid p on p.month = r.m and p.session_id = r.s and p.level = r.v and p.bucket = r.b
    order by p.session_id, p.level`;
  for (const row of rows) edges.set(row.sessionId, [...(edges.get(row.sessionId) ?? []), bucketFrom(row)]);
  return edges;
}

export interface Pyramid {
  completed: Bucket[];
  edge: Edge;
}

/** The pyramid of a main chain as far as `position`, built from its stored turns. */
export async function buildPyramid(
  tx: postgres.TransactionSql,
  { id, month }: Place,
  position: number,
): Promise<Pyramid> {
  const rows = await tx<SeriesTurnRow[]>`
    select ${seriesTurnColumns(tx)} from turns t
    where t.month = ${month} and t.session_id = ${id} and t.chain = 0 and t.position <= ${position}
    order by t.position`;
  const turns = rows.map(toSeriesTurn);
  const cumulative = turnPoints(turns, 'cumulative');
  const snapshot = turnPoints(turns, 'snapshot');
  const edge: Edge = [];
  const completed = cumulative.flatMap((point, index) => {
    const reading = snapshot[index];
    const turn: PyramidTurn = {
      point: { ...point, estimated: reading?.estimated ?? false },
      cumulative: point.used,
      snapshot: reading?.used ?? null,
    };
    return addTurn(edge, turn);
  });
  return { completed, edge };
}

/** Carries a pyramid on with further turns; its `edge` is updated in place. */
export function extendPyramid(pyramid: Pyramid, turns: readonly PyramidTurn[]): void {
  for (const turn of turns) pyramid.completed.push(...addTurn(pyramid.edge, turn));
}

function bucketFrom(row: BucketRow): Bucket {
  const { sessionId: _session, firstTime, lastTime, bits, ...rest } = row;
  const { cumulativeMin, cumulativeMax, cumulativeLast, snapshotMin, snapshotMax, snapshotLast, ...sums } =
    rest;
  return {
    ...sums,
    firstTime: firstTime.getTime(),
    lastTime: lastTime.getTime(),
    cumulative: { min: cumulativeMin, max: cumulativeMax, last: cumulativeLast },
    snapshot: { min: snapshotMin, max: snapshotMax, last: snapshotLast },
    estimated: (bits & flagBit('estimated')) !== 0,
    untracked: (bits & flagBit('untracked')) !== 0,
  };
}
