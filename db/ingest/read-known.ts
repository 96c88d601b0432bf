/** Second looks into the database, for the few items that need one: resends, and items that come late. */
import type postgres from 'postgres';
import type { SeqRange } from '../../core/protocol/messages';
import { inRanges } from '../../core/protocol/ranges';
import { deliveryKey } from './arrivals';
import { toJsonText } from './json-text';
import type { SessionArrivals, StoredReports } from './lock-batch';
import type { DeliveryRecord, NewRow } from './session-plan';
import type { Refused } from './types';

/** Deliveries without a row of their own among the seqs that come again. */
export async function readKnownDeliveries(
  tx: postgres.TransactionSql,
  groups: readonly SessionArrivals[],
  received: ReadonlyMap<number, SeqRange[]>,
  reports: StoredReports,
): Promise<Map<string, DeliveryRecord[]>> {
  const known = new Map<string, DeliveryRecord[]>();
  const keys = groups.flatMap(({ session, arrivals }) =>
    arrivals
      .filter(({ stream, item }) => inRanges(received.get(stream.streamId) ?? [], item.seq))
      .map(({ stream, item }) => ({ m: session.month, s: session.id, t: stream.streamId, q: item.seq })),
  );
  if (keys.length === 0) return known;
  const text = toJsonText(keys);
  const deliveries = tx<
    (Omit<DeliveryRecord, 'receivedAt'> & { receivedAt: Date; refusal: Refused | null })[]
  >`
    select d.stream_id as "streamId", d.seq, d.hash::text as hash, d.outcome, d.refusal,
      d.received_at as "receivedAt"
    from json_to_recordset(${text}::text::json) as r (t int, q bigint)
    join deliveries d on d.stream_id = r.t and d.seq = r.q`;
  // The gaps that stand for refused turns lie under the negative seq.
  const gaps = tx<{ sessionId: number; streamId: number; seq: number; hash: string }[]>`
    select p.session_id as "sessionId", p.stream_id as "streamId", p.seq, p.hash::text as hash
    from json_to_recordset(${text}::text::json) as r (m smallint, s int, t int, q bigint)
    join reports p on p.month = r.m and p.session_id = r.s and p.stream_id = r.t and p.seq = -r.q`;
  for (const { receivedAt, ...row } of await deliveries) {
    const key = deliveryKey(row.streamId, row.seq);
    known.set(key, [...(known.get(key) ?? []), { ...row, receivedAt: receivedAt.getTime() }]);
  }
  for (const gap of await gaps) {
    reports.byDelivery.set(`${gap.sessionId} ${deliveryKey(gap.streamId, gap.seq)}`, gap.hash);
  }
  return known;
}

/** The place of a late row: before `anchor`, behind `previous` (0: nothing); null: behind everything. */
export interface LatePlace {
  anchor: number;
  previous: number;
}

/**
 * Where late rows belong: just before the first row of their own stream with a later seq. Along a stream the
 * positions rise with the seqs, so the search goes backwards from the session's end, as far as must be folded
 * again anyway.
 */
export async function findLatePlaces(
  tx: postgres.TransactionSql,
  session: { id: number; month: number },
  rows: readonly NewRow[],
): Promise<(LatePlace | null)[]> {
  const keys = rows.map(({ record }, index) => ({ i: index, t: record.streamId, q: record.seq }));
  const found = await tx<{ i: number; anchor: number | null; previous: number }[]>`
    with s as (select ${session.month}::smallint as month, ${session.id}::int as id)
    select r.i, anchor.p as anchor, previous.p as previous
    from s, json_to_recordset(${toJsonText(keys)}::text::json) as r (i int, t int, q bigint)
    cross join lateral (
      select greatest(
        (select position from turns x where x.month = s.month and x.session_id = s.id and x.stream_id = r.t
          and x.seq < r.q order by position desc limit 1),
        (select position from reports x where x.month = s.month and x.session_id = s.id and x.stream_id = r.t
          and x.seq < r.q and x.seq > 0 order by position desc limit 1),
        0) as p
    ) before
    cross join lateral (
      select least(
        (select position from turns x where x.month = s.month and x.session_id = s.id and x.stream_id = r.t
          and x.seq > r.q and x.position > before.p order by position limit 1),
        (select position from reports x where x.month = s.month and x.session_id = s.id and x.stream_id = r.t
          and x.seq > r.q and x.position > before.p order by position limit 1)) as p
    ) anchor
    cross join lateral (
      select greatest(
        (select position from turns x where x.month = s.month and x.session_id = s.id
          and x.position < anchor.p order by position desc limit 1),
        (select position from reports x where x.month = s.month and x.session_id = s.id
          and x.position < anchor.p order by position desc limit 1),
        0) as p
    ) previous`;
  const places: (LatePlace | null)[] = rows.map(() => null);
  for (const { i, anchor, previous } of found) {
    if (anchor !== null) places[i] = { anchor, previous };
  }
  return places;
}
