/**
 * Takes the batch's locks and reads what its items are compared with, in one flight of statements: streams and sessions
 * in id order, then, under those locks, the touched chains and every row that an item might repeat.
 */
import type postgres from 'postgres';
import type { SeqRange } from '../../core/protocol/messages';
import { inRanges } from '../../core/protocol/ranges';
import { parseRanges } from '../codes/seq-ranges';
import { sourceCode } from '../codes/sources';
import { toJsonText } from '../json-text';
import { sessions } from '../schema/sessions';
import { selectColumns } from '../tables';
import { placedCall, type StoredTurn, storedTurn } from './columns';
import {
  type Arrival,
  type CompositionReport,
  type DeliveryRecord,
  deliveryKey,
  type LockedSession,
  type PlacedCall,
  type Refused,
  type StoredChain,
} from './types';

export interface LockedBatch {
  /** Settled seqs by stream id. */
  received: Map<number, SeqRange[]>;
  sessions: Map<number, LockedSession>;
  /** By session id, then key. */
  chains: Map<number, Map<string, StoredChain>>;
  /** By session id, then call key. */
  calls: Map<number, Map<string, PlacedCall>>;
  reports: StoredReports;
  compositions: KnownCompositions;
  /** Highest seq of a stream among the rows of a session: by session id, then stream id. */
  maxSeq: Map<number, Map<number, number>>;
  /** Project settings by id. */
  settings: Map<number, unknown>;
  /** Deliveries without a row of their own among the seqs that come again, by delivery key. */
  deliveries: Map<string, DeliveryRecord[]>;
}

interface StoredReports {
  /** Hash by session id and delivery. */
  byDelivery: Map<string, string>;
  /** Streams that reported it, by session id and hash. */
  byHash: Map<string, number[]>;
}

export interface SessionArrivals {
  session: { id: number };
  arrivals: Arrival[];
}

type Groups = readonly SessionArrivals[];

const INT4 = 23;
const INT8 = 20;

export async function lockStreams(
  tx: postgres.TransactionSql,
  streamIds: readonly number[],
): Promise<Map<number, SeqRange[]>> {
  const rows = await tx<{ id: number; received: string }[]>`
    select id, received::text as received from streams where id = any(${tx.array([...streamIds], INT4)})
    order by id for update`;
  return new Map(rows.map((row) => [row.id, parseRanges(row.received)]));
}

/** @param streams the streams' locks, which travel first. */
export async function lockBatch(
  tx: postgres.TransactionSql,
  streams: Promise<Map<number, SeqRange[]>>,
  groups: Groups,
): Promise<LockedBatch> {
  // They travel together, and run in this order.
  const [received, locked, chains, calls, reports, compositions, maxSeq, settings] = await Promise.all([
    streams,
    lockSessions(tx, groups),
    readChains(tx, groups),
    readCalls(tx, groups),
    readReports(tx, groups),
    readCompositions(tx, groups),
    readMaxSeq(tx, groups),
    readSettings(tx, groups),
  ]);
  const deliveries = await readDeliveries(tx, groups, received, reports);
  return { received, sessions: locked, chains, calls, reports, compositions, maxSeq, settings, deliveries };
}

/** Columns of a session row as a `LockedSession`. */
export function lockedSession(tx: postgres.ISql) {
  return selectColumns(tx, sessions, 'sessions', [
    'id',
    'publicId',
    'projectId',
    'key',
    'deletedAt',
    'retired',
    'adoptedBy',
    'title',
    'host',
    'folder',
    'branch',
    'previousId',
    'forkedFromId',
    'fold',
    'owner',
    'sources',
    'lastPosition',
    'chainCount',
    'itemsSinceCheckpoint',
    'recomputeFrom',
    'startedAt',
    'lastActivityAt',
    'endedAt',
    'version',
  ]);
}

async function lockSessions(tx: postgres.TransactionSql, groups: Groups) {
  const ids = groups.map(({ session }) => session.id);
  const rows = await tx<LockedSession[]>`
    select ${lockedSession(tx)} from sessions where id = any(${tx.array(ids, INT8)}) order by id for update`;
  return new Map(rows.map((row) => [row.id, row]));
}

async function readChains(tx: postgres.TransactionSql, groups: Groups) {
  const keys = groups.flatMap(({ session, arrivals }): { s: number; k: string | null }[] => {
    // Another lens restarts the rate of every chain.
    const needsAll = arrivals.some(({ item }) => item.type === 'session_start' && item.lens !== undefined);
    if (needsAll) return [{ s: session.id, k: null }];
    const touched = arrivals.map(({ item }) => ('chain' in item && item.chain) || 'main');
    return [...new Set(['main', ...touched])].map((key) => ({ s: session.id, k: key }));
  });
  const rows = await tx<(StoredChain & { sessionId: number })[]>`
    select c.session_id as "sessionId", c.chain, c.key, c.fold
    from json_to_recordset(${toJsonText(keys)}::text::json) as r (s bigint, k text)
    join chains c on c.session_id = r.s and (r.k is null or c.key = r.k)`;
  const chains = new Map(groups.map(({ session }) => [session.id, new Map<string, StoredChain>()]));
  for (const { sessionId, ...chain } of rows) chains.get(sessionId)?.set(chain.key, chain);
  return chains;
}

async function readCalls(tx: postgres.TransactionSql, groups: Groups) {
  const calls = new Map(groups.map(({ session }) => [session.id, new Map<string, PlacedCall>()]));
  const ids: number[] = [];
  const keys: string[] = [];
  for (const { session, arrivals } of groups) {
    for (const key of new Set(arrivals.map(({ callKey }) => callKey))) {
      if (key === null) continue;
      ids.push(session.id);
      keys.push(key);
    }
  }
  if (keys.length === 0) return calls;
  const rows = await tx<StoredTurn[]>`
    select ${storedTurn(tx)}
    from unnest(${`{${ids}}`}::text::bigint[], ${`{${keys}}`}::text::bigint[]) as r (s, c)
    join turns t on t.session_id = r.s and t.call_key = r.c`;
  for (const row of rows) calls.get(row.sessionId)?.set(row.callKey, placedCall(row));
  return calls;
}

async function readReports(tx: postgres.TransactionSql, groups: Groups): Promise<StoredReports> {
  const reports: StoredReports = { byDelivery: new Map(), byHash: new Map() };
  const keys = groups.flatMap(({ session, arrivals }) =>
    arrivals
      .filter(({ callKey }) => callKey === null)
      .map(({ stream, item, hash }) => ({ s: session.id, t: stream.streamId, q: item.seq, h: hash })),
  );
  if (keys.length === 0) return reports;
  const rows = await tx<{ sessionId: number; streamId: number; seq: number; hash: string }[]>`
    with r as (
      select * from json_to_recordset(${toJsonText(keys)}::text::json) as r (s bigint, t int, q bigint, h bigint)
    )
    select p.session_id as "sessionId", p.stream_id as "streamId", p.seq, p.hash::text as hash
    from r join reports p on p.session_id = r.s and p.stream_id = r.t and p.seq = r.q
    union
    select p.session_id, p.stream_id, p.seq, p.hash::text
    from r join reports p on p.session_id = r.s and p.hash = r.h`;
  for (const row of rows) {
    reports.byDelivery.set(`${row.sessionId} ${deliveryKey(row.streamId, row.seq)}`, row.hash);
    const name = `${row.sessionId} ${row.hash}`;
    reports.byHash.set(name, [...(reports.byHash.get(name) ?? []), row.streamId]);
  }
  return reports;
}

/** The report of stored compositions, without their content. By session id, then call key. */
export type KnownCompositions = Map<number, Map<string, Omit<CompositionReport, 'composition'>>>;

/** Stored compositions of the calls that bring one. Without any in the batch it asks nothing. */
async function readCompositions(tx: postgres.TransactionSql, groups: Groups): Promise<KnownCompositions> {
  const known: KnownCompositions = new Map();
  const keys = groups.flatMap(({ session, arrivals }) =>
    arrivals
      .filter((arrival) => compositionOf(arrival) !== null)
      .map(({ callKey }) => ({ s: session.id, c: callKey })),
  );
  if (keys.length === 0) return known;
  const rows = await tx<(Omit<CompositionReport, 'composition'> & { sessionId: number })[]>`
    select distinct x.session_id as "sessionId", x.call_key::text as "callKey", x.stream_id as "streamId", x.seq,
      x.source, (extract(epoch from x.runner_time) * 1000)::float8 as "runnerTime"
    from json_to_recordset(${toJsonText(keys)}::text::json) as r (s bigint, c bigint)
    join compositions x on x.session_id = r.s and x.call_key = r.c`;
  for (const { sessionId, ...report } of rows) {
    const ofSession = known.get(sessionId) ?? new Map();
    known.set(sessionId, ofSession.set(report.callKey, report));
  }
  return known;
}

/** The composition that an arrival brings. */
export function compositionOf({ item, stream, callKey }: Arrival): CompositionReport | null {
  // A side call carries another history than its chain's.
  if (item.type !== 'turn' || item.composition === undefined || item.scope === 'side') return null;
  if (callKey === null) throw new TypeError('a turn has a call key');
  return {
    callKey,
    streamId: stream.streamId,
    seq: item.seq,
    source: sourceCode(stream.source),
    runnerTime: Math.floor(item.at),
    composition: item.composition,
  };
}

async function readMaxSeq(tx: postgres.TransactionSql, groups: Groups) {
  const keys = groups.flatMap(({ session, arrivals }) =>
    [...new Set(arrivals.map(({ stream }) => stream.streamId))].map((t) => ({ s: session.id, t })),
  );
  const rows = await tx<{ sessionId: number; streamId: number; maxSeq: number }[]>`
    select x.session_id as "sessionId", x.stream_id as "streamId", x.max_seq as "maxSeq"
    from json_to_recordset(${toJsonText(keys)}::text::json) as r (s bigint, t int)
    join session_streams x on x.session_id = r.s and x.stream_id = r.t`;
  const maxSeq = new Map(groups.map(({ session }) => [session.id, new Map<number, number>()]));
  for (const row of rows) maxSeq.get(row.sessionId)?.set(row.streamId, row.maxSeq);
  return maxSeq;
}

async function readSettings(tx: postgres.TransactionSql, groups: Groups) {
  const ids = [...new Set(groups.flatMap(({ arrivals }) => arrivals.map(({ stream }) => stream.projectId)))];
  const rows = await tx<{ id: number; settings: unknown }[]>`
    select id, settings from projects where id = any(${tx.array(ids, INT4)})`;
  return new Map(rows.map((row) => [row.id, row.settings]));
}

/** A second look, for resends only. Adds the gaps of refused turns to `reports`. */
async function readDeliveries(
  tx: postgres.TransactionSql,
  groups: Groups,
  received: ReadonlyMap<number, SeqRange[]>,
  reports: StoredReports,
): Promise<Map<string, DeliveryRecord[]>> {
  const known = new Map<string, DeliveryRecord[]>();
  const keys = groups.flatMap(({ session, arrivals }) =>
    arrivals
      .filter(({ stream, item }) => inRanges(received.get(stream.streamId) ?? [], item.seq))
      .map(({ stream, item }) => ({ s: session.id, t: stream.streamId, q: item.seq })),
  );
  if (keys.length === 0) return known;
  const text = toJsonText(keys);
  const deliveries = tx<(DeliveryRecord & { refusal: Refused | null })[]>`
    select d.stream_id as "streamId", d.seq, d.hash::text as hash, d.outcome, d.refusal,
      (extract(epoch from d.received_at) * 1000)::float8 as "receivedAt"
    from json_to_recordset(${text}::text::json) as r (t int, q bigint)
    join deliveries d on d.stream_id = r.t and d.seq = r.q`;
  // The gaps of refused turns have the negative seq.
  const gaps = tx<{ sessionId: number; streamId: number; seq: number; hash: string }[]>`
    select p.session_id as "sessionId", p.stream_id as "streamId", p.seq, p.hash::text as hash
    from json_to_recordset(${text}::text::json) as r (s bigint, t int, q bigint)
    join reports p on p.session_id = r.s and p.stream_id = r.t and p.seq = -r.q`;
  for (const row of await deliveries) {
    const key = deliveryKey(row.streamId, row.seq);
    known.set(key, [...(known.get(key) ?? []), row]);
  }
  for (const gap of await gaps) {
    reports.byDelivery.set(`${gap.sessionId} ${deliveryKey(gap.streamId, gap.seq)}`, gap.hash);
  }
  return known;
}
