/** A session's stored items in order, as the fold wants them. */
import type postgres from 'postgres';
import type { Item } from '../../core/protocol/items';
import { unpackClock, unpackSource } from '../codes/turn-bits';
import { type CallRecord, type CallRow, type DerivedColumns, derivedOf, recordOf } from './call-row';
import { callColumns } from './call-sql';
import type { Place } from './rows';
import type { ReportRecord } from './session-plan';

export type StoredRow =
  | { kind: 'call'; record: CallRecord; columns: DerivedColumns }
  | { kind: 'report'; record: ReportRecord };

interface ReportRow {
  position: number;
  seq: number;
  hash: string;
  runnerTime: Date;
  serverTime: Date;
  streamId: number;
  bits: number;
  item: Omit<Item, 'seq' | 'session' | 'at'>;
}

/** At most `limit` items behind a position, ascending; and where the next one stands (null: that was all). */
export async function readRows(
  tx: postgres.TransactionSql,
  place: Place,
  after: number,
  limit: number,
): Promise<{ rows: StoredRow[]; next: number | null }> {
  const callRows = tx<CallRow[]>`
    select ${callColumns(tx)}
    from turns t
    where t.month = ${place.month} and t.session_id = ${place.id} and t.position > ${after}
    order by t.position limit ${limit + 1}`;
  const reportRows = tx<ReportRow[]>`
    select position, seq, hash::text as hash, runner_time as "runnerTime", server_time as "serverTime",
      stream_id as "streamId", bits, item
    from reports
    where month = ${place.month} and session_id = ${place.id} and position > ${after}
    order by position limit ${limit + 1}`;
  const calls = (await callRows).map(
    (row): StoredRow => ({ kind: 'call', record: recordOf(row), columns: derivedOf(row) }),
  );
  const reports = (await reportRows).map((row): StoredRow => ({ kind: 'report', record: reportOf(row) }));
  const rows = [...calls, ...reports].sort((a, b) => a.record.position - b.record.position);
  const next = rows[limit]?.record.position ?? null;
  return { rows: rows.slice(0, limit), next };
}

/** How many items stand at or behind a position, counted no further than `limit`. */
export async function countRows(
  tx: postgres.TransactionSql,
  place: Place,
  from: number,
  limit: number,
): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from (
      (select 1 from turns where month = ${place.month} and session_id = ${place.id} and position >= ${from}
        limit ${limit})
      union all
      (select 1 from reports where month = ${place.month} and session_id = ${place.id} and position >= ${from}
        limit ${limit})
    ) x`;
  return row?.count ?? 0;
}

function reportOf(row: ReportRow): ReportRecord {
  const at = row.runnerTime.getTime();
  return {
    position: row.position,
    streamId: row.streamId,
    seq: row.seq,
    hash: row.hash,
    source: unpackSource(row.bits),
    runnerTime: at,
    serverTime: row.serverTime.getTime(),
    clock: unpackClock(row.bits),
    // What a row holds was a valid item when it was written.
    item: { ...row.item, seq: Math.abs(row.seq), session: '-', at } as Item,
  };
}
