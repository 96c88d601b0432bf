/**
 * Takes the batch's locks and reads what its items are compared with, in one flight of statements: streams and
 * sessions in id order, then, under those locks, the touched chains and every row that an item might repeat.
 */
import type postgres from 'postgres';
import type { ChainFold, SessionFold } from '../../core/accounting/fold-types';
import type { SeqRange } from '../../core/protocol/messages';
import { type Arrival, deliveryKey } from './arrivals';
import { type CallRecord, type CallRow, recordOf } from './call-row';
import { callColumns } from './call-sql';
import { type KnownCompositions, readCompositions } from './compositions';
import { toJsonText } from './json-text';
import type { KnownSession } from './known-names';
import { parseRanges } from './seq-ranges';

export interface LockedSession {
  id: number;
  publicId: string;
  month: number;
  projectId: number;
  key: string;
  deletedAt: Date | null;
  adoptedBy: number | null;
  adopterMonth: number | null;
  title: string | null;
  host: string | null;
  folder: string | null;
  branch: string | null;
  previousId: string | null;
  forkedFromId: string | null;
  fold: Omit<SessionFold, 'chains'>;
  owner: number;
  sources: number;
  lastPosition: number;
  chainCount: number;
  itemsSinceCheckpoint: number;
  recomputeFrom: number | null;
  startedAt: Date;
  lastActivityAt: Date | null;
  endedAt: Date | null;
  version: number;
}

export interface StoredChain {
  chain: number;
  key: string;
  fold: ChainFold;
}

export interface LockedBatch {
  /** Settled seqs by stream id. */
  received: Map<number, SeqRange[]>;
  sessions: Map<number, LockedSession>;
  /** By session id, then key. */
  chains: Map<number, Map<string, StoredChain>>;
  /** By session id, then call key. */
  calls: Map<number, Map<string, CallRecord>>;
  reports: StoredReports;
  compositions: KnownCompositions;
  /** Highest seq of a stream among the rows of a session: by session id, then stream id. */
  maxSeq: Map<number, Map<number, number>>;
  settings: Map<number, unknown>;
}

export interface StoredReports {
  /** Hash by session id and delivery. */
  byDelivery: Map<string, string>;
  /** Streams that reported it, by session id and hash. */
  byHash: Map<string, number[]>;
}

export interface SessionArrivals {
  session: KnownSession;
  arrivals: Arrival[];
}

const INT4 = 23;

export async function lockStreams(
  tx: postgres.TransactionSql,
  streamIds: readonly number[],
): Promise<Map<number, SeqRange[]>> {
  const rows = await tx<{ id: number; received: string }[]>`
    select id, received::text as received from streams where id = any(${tx.array([...streamIds], INT4)})
    order by id for update`;
  return new Map(rows.map((row) => [row.id, parseRanges(row.received)]));
}

export async function lockBatch(
  tx: postgres.TransactionSql,
  streams: Promise<Map<number, SeqRange[]>>,
  groups: readonly SessionArrivals[],
): Promise<LockedBatch> {
  // They travel together, and run in this order.
  const [received, sessions, chains, calls, reports, compositions, maxSeq, settings] = await Promise.all([
    streams,
    lockSessions(tx, groups),
    readChains(tx, groups),
    readCalls(tx, groups),
    readReports(tx, groups),
    readCompositions(tx, groups),
    readMaxSeq(tx, groups),
    readSettings(tx, groups),
  ]);
  return { received, sessions, chains, calls, reports, compositions, maxSeq, settings };
}

/** Columns of a session row as `LockedSession` has them. */
export function sessionColumns(tx: postgres.TransactionSql) {
  return tx`
    id, public_id as "publicId", month, project_id as "projectId", key, deleted_at as "deletedAt",
    adopted_by as "adoptedBy", (select a.month from sessions a where a.id = sessions.adopted_by) as "adopterMonth",
    title, host, folder, branch, previous_id as "previousId",
    forked_from_id as "forkedFromId", fold, owner, sources, last_position as "lastPosition",
    chain_count as "chainCount", items_since_checkpoint as "itemsSinceCheckpoint",
    recompute_from as "recomputeFrom", started_at as "startedAt", last_activity_at as "lastActivityAt",
    ended_at as "endedAt", version`;
}

async function lockSessions(
  tx: postgres.TransactionSql,
  groups: readonly SessionArrivals[],
): Promise<Map<number, LockedSession>> {
  const ids = groups.map(({ session }) => session.id);
  const rows = await tx<LockedSession[]>`
    select ${sessionColumns(tx)} from sessions where id = any(${tx.array(ids, INT4)}) order by id for update`;
  return new Map(rows.map((row) => [row.id, row]));
}

async function readChains(tx: postgres.TransactionSql, groups: readonly SessionArrivals[]) {
  const keys = groups.flatMap(({ session, arrivals }): { m: number; s: number; k: string | null }[] => {
    const place = { m: session.month, s: session.id };
    // Another lens begins the rate of every chain anew.
    const needsAll = arrivals.some(({ item }) => item.type === 'session_start' && item.lens !== undefined);
    if (needsAll) return [{ ...place, k: null }];
    const touched = new Set([
      'main',
      ...arrivals.map(({ item }) => ('chain' in item && item.chain) || 'main'),
    ]);
    return [...touched].map((key) => ({ ...place, k: key }));
  });
  const rows = await tx<(StoredChain & { sessionId: number })[]>`
    select c.session_id as "sessionId", c.chain, c.key, c.fold
    from json_to_recordset(${toJsonText(keys)}::text::json) as r (m smallint, s int, k text)
    join chains c on c.month = r.m and c.session_id = r.s and (r.k is null or c.key = r.k)`;
  const chains = new Map(groups.map(({ session }) => [session.id, new Map<string, StoredChain>()]));
  for (const { sessionId, ...chain } of rows) chains.get(sessionId)?.set(chain.key, chain);
  return chains;
}

async function readCalls(tx: postgres.TransactionSql, groups: readonly SessionArrivals[]) {
  const calls = new Map(groups.map(({ session }) => [session.id, new Map<string, CallRecord>()]));
  const months: number[] = [];
  const sessions: number[] = [];
  const keys: string[] = [];
  for (const { session, arrivals } of groups) {
    const callKeys = new Set(arrivals.map(({ callKey }) => callKey));
    for (const key of callKeys) {
      if (key === null) continue;
      months.push(session.month);
      sessions.push(session.id);
      keys.push(key);
    }
  }
  if (keys.length === 0) return calls;
  const rows = await tx<(CallRow & { sessionId: number })[]>`
    select t.session_id as "sessionId", ${callColumns(tx)}
    from unnest(${`{${months}}`}::text::smallint[], ${`{${sessions}}`}::text::int[], ${`{${keys}}`}::text::bigint[])
      as r (m, s, c)
    join turns t on t.month = r.m and t.session_id = r.s and t.call_key = r.c`;
  for (const { sessionId, ...row } of rows) calls.get(sessionId)?.set(row.callKey, recordOf(row));
  return calls;
}

async function readReports(
  tx: postgres.TransactionSql,
  groups: readonly SessionArrivals[],
): Promise<StoredReports> {
  const reports: StoredReports = { byDelivery: new Map(), byHash: new Map() };
  const keys = groups.flatMap(({ session, arrivals }) =>
    arrivals
      .filter(({ callKey }) => callKey === null)
      .map(({ stream, item, hash }) => ({
        m: session.month,
        s: session.id,
        t: stream.streamId,
        q: item.seq,
        h: hash,
      })),
  );
  if (keys.length === 0) return reports;
  const rows = await tx<{ sessionId: number; streamId: number; seq: number; hash: string }[]>`
    with r as (
      select * from json_to_recordset(${toJsonText(keys)}::text::json)
        as r (m smallint, s int, t int, q bigint, h bigint)
    )
    select p.session_id as "sessionId", p.stream_id as "streamId", p.seq, p.hash::text as hash
    from r join reports p on p.month = r.m and p.session_id = r.s and p.stream_id = r.t and p.seq = r.q
    union
    select p.session_id, p.stream_id, p.seq, p.hash::text
    from r join reports p on p.month = r.m and p.session_id = r.s and p.hash = r.h`;
  for (const row of rows) {
    reports.byDelivery.set(`${row.sessionId} ${deliveryKey(row.streamId, row.seq)}`, row.hash);
    const name = `${row.sessionId} ${row.hash}`;
    reports.byHash.set(name, [...(reports.byHash.get(name) ?? []), row.streamId]);
  }
  return reports;
}

async function readMaxSeq(tx: postgres.TransactionSql, groups: readonly SessionArrivals[]) {
  const keys = groups.flatMap(({ session, arrivals }) =>
    [...new Set(arrivals.map(({ stream }) => stream.streamId))].map((t) => ({ s: session.id, t })),
  );
  const rows = await tx<{ sessionId: number; streamId: number; maxSeq: number }[]>`
    select x.session_id as "sessionId", x.stream_id as "streamId", x.max_seq as "maxSeq"
    from json_to_recordset(${toJsonText(keys)}::text::json) as r (s int, t int)
    join session_streams x on x.session_id = r.s and x.stream_id = r.t`;
  const maxSeq = new Map(groups.map(({ session }) => [session.id, new Map<number, number>()]));
  for (const row of rows) maxSeq.get(row.sessionId)?.set(row.streamId, row.maxSeq);
  return maxSeq;
}

async function readSettings(tx: postgres.TransactionSql, groups: readonly SessionArrivals[]) {
  const ids = [...new Set(groups.flatMap(({ arrivals }) => arrivals.map(({ stream }) => stream.projectId)))];
  const rows = await tx<{ id: number; settings: unknown }[]>`
    select id, settings from projects where id = any(${tx.array(ids, INT4)})`;
  return new Map(rows.map((row) => [row.id, row.settings]));
}
