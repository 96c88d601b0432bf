/**
 * Opens a batch: locks first the streams and then the sessions, each in the order of their ids. The round trip that
 * locks the sessions also reads every stored row that an item might repeat.
 */
import type postgres from 'postgres';
import type { SeqRange } from '../../core/protocol/messages';
import { inRanges } from '../../core/protocol/ranges';
import { parseRanges } from '../codes/seq-ranges';
import { TURN_BITS } from '../codes/turn-bits';
import { projectContext } from '../queries/project-settings';
import { milliseconds } from '../tables';
import { LOCKED_SESSION, placedCall, REPORTERS_SHIFT, STORED_TURN, type StoredTurn } from './columns';
import { followRedirects, type KnownNames, lockCreation } from './names';
import {
  type Arrival,
  BatchOutdated,
  type CompositionRank,
  chainOf,
  deliveryKey,
  type Holders,
  hasUnmatched,
  type LockedSession,
  type Refused,
  SessionPlan,
  type StoredChain,
} from './types';
import { type Batch, newWriteSet } from './write';

export interface BatchInput {
  arrivals: readonly Arrival[];
  unknown: readonly Arrival[];
  names: KnownNames;
  models: ReadonlyMap<string, number>;
  now: number;
}

export interface OpenedBatch {
  batch: Batch;
  plans: SessionPlan[];
  holders: Holders;
  /** Ids of the sessions that link to a session of the batch. */
  linked: readonly number[];
}

/** @param created ids of the sessions that this transaction created */
export async function openBatch(
  tx: postgres.TransactionSql,
  { arrivals, models, names }: BatchInput,
  created: ReadonlyMap<string, number>,
): Promise<OpenedBatch> {
  const [received] = await Promise.all([
    lockStreams(tx, [...new Set(arrivals.map(({ streamId }) => streamId))]),
    // Every statement accesses rows by key. Without these settings, a plan cached for a small table would later scan a
    // large table. Planning each statement would cost more than running it.
    tx`
      select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
        set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`,
  ]);
  for (const arrival of arrivals) {
    arrival.isResent = inRanges(received.get(arrival.streamId) ?? [], arrival.seq);
  }
  const namesClients = arrivals.some(({ item }) => 'clientSessionId' in item);
  const holders: Holders = namesClients ? await findHolders(tx, arrivals) : new Map();
  const groups = groupBySession(arrivals, names, created, holders);
  const { plans, linked, ...read } = await lockSessions(tx, groups, names);
  const projects = new Map(plans.map(({ session }) => [session.id, session.projectId]));
  for (const plan of plans) refuseForeign(plan, holders, projects);
  const shared = { settled: new Map(), outcomes: new Map(), writes: newWriteSet() };
  return { batch: { tx, arrivals, models, ...read, ...shared }, plans, holders, linked };
}

export async function lockStreams(
  tx: postgres.TransactionSql,
  ids: readonly number[],
): Promise<Map<number, SeqRange[]>> {
  const rows = await tx<{ id: number; received: string }[]>`
    select id, received::text as received from streams where id = any(${`{${ids}}`}::text::int[])
    order by id for update`;
  return new Map(rows.map((row) => [row.id, parseRanges(row.received)]));
}

/**
 * Lock sessions and the sessions to which they link, in the order of their ids. Wait first until no other transaction
 * is creating a linked session. @returns the sessions that still exist
 */
export async function lockLinked(
  tx: postgres.TransactionSql,
  ids: readonly number[],
): Promise<LockedSession[]> {
  const list = `{${ids}}`;
  const origins = await tx<{ id: string }[]>`
    select o.id from sessions, unnest(array[forked_from_id, previous_id]) as o (id)
    where sessions.id = any(${list}::text::bigint[]) and o.id is not null`;
  await lockCreation(
    tx,
    origins.map(({ id }) => id),
  );
  const rows = await tx<LockedSession[]>`
    select ${tx.unsafe(LOCKED_SESSION)} from sessions where id = any(array(
      select coalesce(s.adopted_by, s.id) from sessions f
      join sessions s on s.public_id = any(array[f.public_id, f.forked_from_id, f.previous_id])
      where f.id = any(${list}::text::bigint[])
    )) order by id for update`;
  return rows.filter(({ id, deletedAt, adoptedBy }) => ids.includes(id) && (deletedAt ?? adoptedBy) === null);
}

/** Sessions that already have a client id of the batch, and must be locked together with the batch's sessions. */
async function findHolders(tx: postgres.TransactionSql, arrivals: readonly Arrival[]): Promise<Holders> {
  const keys = arrivals.flatMap(({ item }) =>
    'clientSessionId' in item && item.clientSessionId !== undefined ? [{ c: item.clientSessionId }] : [],
  );
  const rows = await ask<{ id: number; client: string; name: string }>(
    tx,
    keys,
    `select distinct client_session_id as name, client, session_id as id
    from json_to_recordset($1::text::json) as r (c text)
    join session_aliases a on a.client_session_id = r.c`,
  );
  const holders: Holders = new Map();
  for (const { name, ...holder } of rows) holders.set(name, [...(holders.get(name) ?? []), holder]);
  return holders;
}

/** Refuse items of a token that may not write the project of the item's session, or of a session that it claims. */
function refuseForeign(
  { session, arrivals }: SessionPlan,
  holders: Holders,
  projects: ReadonlyMap<number, number>,
): void {
  for (const arrival of arrivals) {
    const { stream, item } = arrival;
    const { boundBy, project, projectId } = stream;
    if (boundBy === undefined) continue;
    // An earlier attempt may have seen the session in another project.
    if (arrival.refusal?.code === 'not_yours') delete arrival.refusal;
    const held = 'clientSessionId' in item ? (holders.get(item.clientSessionId ?? '') ?? []) : [];
    const isForeign = session.projectId !== projectId;
    if (!isForeign && held.every(({ id }) => projects.get(id) === projectId)) continue;
    const field = isForeign ? 'session' : 'clientSessionId';
    const reason = `the token "${boundBy}" may only write the project "${project}"; the session is in another project`;
    arrival.refusal = { code: 'not_yours', field, reason };
  }
}

/** Group arrivals by session. A session without arrivals that holds a client id of the batch gets an empty group. */
function groupBySession(
  arrivals: readonly Arrival[],
  names: KnownNames,
  created: ReadonlyMap<string, number>,
  holders: Holders,
): Map<number, Arrival[]> {
  const groups = new Map<number, Arrival[]>();
  for (const arrival of arrivals) {
    const known = created.get(arrival.publicId) ?? names.sessions.get(arrival.publicId);
    if (known === undefined) throw new BatchOutdated(`the session ${arrival.session} is not known any more`);
    const id = names.redirects.has(known) ? followRedirects(names, known) : known;
    groups.set(id, groups.get(id) ?? []);
    groups.get(id)?.push(arrival);
  }
  for (const { id } of [...holders.values()].flat()) if (!groups.has(id)) groups.set(id, []);
  return groups;
}

async function lockSessions(
  tx: postgres.TransactionSql,
  groups: ReadonlyMap<number, Arrival[]>,
  names: KnownNames,
): Promise<Pick<Batch, 'contexts' | 'resent'> & Pick<OpenedBatch, 'plans' | 'linked'>> {
  const keys = keysOf(groups);
  // For many keys, arrays are cheaper than JSON.
  const calledIn = [`{${keys.calls.s}}`, `{${keys.calls.c}}`];
  // One round trip. The statements run in this order, so all reads see the rows under the locks.
  const [rows, linked, chains, calls, reports, compositions, seqs, projects, resent, gaps] =
    await Promise.all([
      ask<LockedSession>(tx, keys.sessions, LOCK_SESSIONS),
      ask<{ id: number }>(tx, keys.sessions, LINKED),
      ask<StoredChain & { sessionId: number }>(tx, keys.chains, CHAINS),
      keys.calls.s.length === 0 ? [] : tx.unsafe<KnownTurn[]>(CALLS, calledIn, { prepare: true }),
      ask<StoredReport>(tx, keys.reports, REPORTS),
      ask<CompositionRank & { sessionId: number }>(tx, keys.compositions, COMPOSITIONS),
      ask<{ sessionId: number; streamId: number; maxSeq: number }>(tx, keys.streams, STREAMS),
      ask<{ id: number; settings: unknown }>(tx, keys.projects, PROJECTS),
      ask<{ streamId: number; seq: number; hash: string; refusal: Refused | null }>(
        tx,
        keys.resent,
        DELIVERIES,
      ),
      ask<StoredReport>(tx, keys.resent, GAPS),
    ]);
  const plans = new Map(rows.map((row) => [row.id, new SessionPlan(row, groups.get(row.id) ?? [])]));
  if (plans.size < groups.size) throw new BatchOutdated('a session has no row');
  for (const { session, arrivals } of plans.values()) {
    const isHolder = arrivals.length === 0;
    if (session.adoptedBy === null && !(isHolder && session.deletedAt !== null)) continue;
    // The adopting session must be locked instead. A deleted session no longer holds its client ids.
    if (session.adoptedBy !== null) names.redirects.set(session.id, session.adoptedBy);
    throw new BatchOutdated(`the session ${session.id} was adopted or deleted`);
  }
  for (const { sessionId, ...chain } of chains) plans.get(sessionId)?.chains.set(chain.key, chain);
  for (const { asked, ...row } of calls) {
    const plan = plans.get(row.sessionId);
    plan?.calls.set(row.callKey, placedCall(row));
    if (asked !== row.callKey) plan?.aliases.set(asked, row.callKey);
  }
  const candidates = await ask<StoredTurn>(tx, candidateKeys(plans), CANDIDATES);
  const otherKeys = otherChainKeys(plans, [...calls, ...candidates]);
  const otherChains = await ask<StoredChain & { sessionId: number }>(tx, otherKeys, CHAINS);
  for (const row of candidates) {
    const plan = plans.get(row.sessionId);
    if (!plan?.calls.has(row.callKey)) plan?.calls.set(row.callKey, placedCall(row));
    plan?.candidates.push(row.callKey);
  }
  for (const { sessionId, ...chain } of otherChains) plans.get(sessionId)?.chains.set(chain.key, chain);
  for (const { sessionId, streamId, seq, hash } of reports) {
    const plan = plans.get(sessionId);
    plan?.reports.set(deliveryKey(streamId, seq), hash);
    plan?.reporters.set(hash, [...(plan.reporters.get(hash) ?? []), streamId]);
  }
  for (const { sessionId, streamId, seq, hash } of gaps) {
    plans.get(sessionId)?.reports.set(deliveryKey(streamId, seq), hash);
  }
  for (const { sessionId, ...rank } of compositions)
    plans.get(sessionId)?.storedCompositions.set(rank.callKey, rank);
  for (const { sessionId, streamId, maxSeq } of seqs) plans.get(sessionId)?.storedSeq.set(streamId, maxSeq);
  return {
    plans: [...plans.values()],
    linked: linked.map(({ id }) => id),
    resent: new Map(
      resent.map(({ streamId, seq, hash, refusal }) => [`${deliveryKey(streamId, seq)} ${hash}`, refusal]),
    ),
    contexts: new Map(projects.map(({ id, settings }) => [id, projectContext(settings)])),
  };
}

interface StoredReport {
  sessionId: number;
  streamId: number;
  seq: number;
  hash: string;
}

/** Keys of the statements below: `s` session, `k` chain, `c` call, `t` stream, `q` seq, `h` hash, `p` project. */
function keysOf(groups: ReadonlyMap<number, Arrival[]>) {
  const chains: { s: number; k: string }[] = [];
  const calls: { s: number[]; c: string[] } = { s: [], c: [] };
  const reports: { s: number; t: number; q: number; h: string }[] = [];
  const compositions: { s: number; c: string }[] = [];
  const streams: { s: number; t: number }[] = [];
  const resent: { s: number; t: number; q: number }[] = [];
  const projects = new Set<number>();
  for (const [s, arrivals] of groups) {
    const named = new Set(['main']);
    const called = new Set<string>();
    const sending = new Set<number>();
    for (const {
      stream,
      streamId: t,
      seq: q,
      item,
      hash: h,
      callKey: c,
      otherKeys,
      composition,
      isResent,
    } of arrivals) {
      named.add(chainOf(item));
      sending.add(t);
      projects.add(stream.projectId);
      if (c === null) reports.push({ s, t, q, h });
      else for (const each of [c, ...otherKeys]) called.add(each);
      if (c !== null && composition) compositions.push({ s, c });
      if (isResent) resent.push({ s, t, q });
    }
    for (const k of named) chains.push({ s, k });
    for (const c of called) {
      calls.s.push(s);
      calls.c.push(c);
    }
    for (const t of sending) streams.push({ s, t });
  }
  const sessions = [...groups.keys()].map((s) => ({ s }));
  return {
    sessions,
    chains,
    calls,
    reports,
    compositions,
    streams,
    resent,
    projects: [...sessions, ...[...projects].map((p) => ({ p }))],
  };
}

const LOCK_SESSIONS = `
  select ${LOCKED_SESSION} from sessions
  where id = any(array(select s from json_to_recordset($1::text::json) as r (s bigint))) order by id for update`;
const LINKED = `
  select l.id from json_to_recordset($1::text::json) as r (s bigint)
  cross join lateral (
    select public_id from sessions where id = r.s union all select public_id from sessions where adopted_by = r.s
  ) o
  cross join lateral (
    select id from sessions where forked_from_id = o.public_id
    union all select id from sessions where previous_id = o.public_id
  ) l`;
const CHAINS = `
  select c.session_id as "sessionId", c.chain, c.key, c.fold
  from json_to_recordset($1::text::json) as r (s bigint, k text)
  join chains c on c.session_id = r.s and c.key = r.k`;
/** Keys are grouped by session, because one index scan for an array of keys is cheaper than one scan for each key. */
const CALLS = `
  with r as materialized (
    select s, array_agg(c) as keys from unnest($1::text::bigint[], $2::text::bigint[]) as u (s, c) group by s
  ),
  found as materialized (
    select ${STORED_TURN}, t.call_key::text as asked from r join turns t on t.session_id = r.s and t.call_key = any(r.keys)
  )
  select * from found
  union all
  select ${STORED_TURN}, a.alias::text
  from r
  cross join lateral (
    select array(select unnest(r.keys) except select f.asked::bigint from found f where f."sessionId" = r.s) as keys
  ) missed
  join call_aliases a on a.session_id = r.s and a.alias = any(missed.keys)
  join turns t on t.session_id = r.s and t.call_key = a.call_key`;
/** A stored call with the key by which it was found: its own, or that of an alias. */
type KnownTurn = StoredTurn & { asked: string };
const CANDIDATES = `
  select ${STORED_TURN}
  from json_to_recordset($1::text::json) as r (s bigint, x int, u boolean)
  cross join lateral (
    select * from turns n where n.session_id = r.s order by n.position desc limit 10000
  ) t
  where (t.bits >> ${REPORTERS_SHIFT}) & r.x = 0
    and (not r.u or t.bits & ${TURN_BITS.hasCall} = 0)
  order by t.position`;
const STORED_REPORT = 'p.session_id as "sessionId", p.stream_id as "streamId", p.seq, p.hash::text as hash';
const REPORTS = `
  with r as (
    select * from json_to_recordset($1::text::json) as r (s bigint, t int, q bigint, h bigint)
  )
  select ${STORED_REPORT} from r join reports p on p.session_id = r.s and p.stream_id = r.t and p.seq = r.q
  union
  select ${STORED_REPORT} from r join reports p on p.session_id = r.s and p.hash = r.h`;
const COMPOSITIONS = `
  select distinct x.session_id as "sessionId", x.call_key::text as "callKey", x.stream_id as "streamId", x.seq,
    x.source, ${milliseconds('x.runner_time')} as "runnerTime"
  from json_to_recordset($1::text::json) as r (s bigint, c bigint)
  join compositions x on x.session_id = r.s and x.call_key = r.c`;
const STREAMS = `
  select x.session_id as "sessionId", x.stream_id as "streamId", x.max_seq as "maxSeq"
  from json_to_recordset($1::text::json) as r (s bigint, t int)
  join session_streams x on x.session_id = r.s and x.stream_id = r.t`;
const PROJECTS = `
  select id, settings from projects where id = any(array(
    select coalesce(r.p, s.project_id) from json_to_recordset($1::text::json) as r (s bigint, p int)
    left join sessions s on s.id = r.s
  ))`;

/** Stored outcomes of resent items that have no row. */
const DELIVERIES = `
  select d.stream_id as "streamId", d.seq, d.hash::text as hash, d.refusal
  from json_to_recordset($1::text::json) as r (t int, q bigint)
  join deliveries d on d.stream_id = r.t and d.seq = r.q`;
/** Selects the gaps that replaced refused turns which the runner now resends. A gap has the negated seq of its turn. */
const GAPS = `
  select ${STORED_REPORT} from json_to_recordset($1::text::json) as r (s bigint, t int, q bigint)
  join reports p on p.session_id = r.s and p.stream_id = r.t and p.seq = -r.q`;

/** Sessions and sources with an item that may repeat another source's stored call without a common id. */
function candidateKeys(plans: ReadonlyMap<number, SessionPlan>) {
  const keys = new Map<string, { s: number; x: number; u: boolean }>();
  for (const [s, plan] of plans) {
    for (const { callKey, item, source } of plan.arrivals) {
      if (callKey === null || item.type !== 'turn' || plan.findCall(callKey)) continue;
      const u = item.call !== undefined;
      if (hasUnmatched(plan.session.sources, source, u))
        keys.set(`${s} ${source} ${u}`, { s, x: 1 << source, u });
    }
  }
  return [...keys.values()];
}

/** Chains of stored calls that no item of the batch names. An amendment writes the call into its chain. */
function otherChainKeys(plans: ReadonlyMap<number, SessionPlan>, calls: readonly StoredTurn[]) {
  const others = calls.filter(({ sessionId, chainKey }) => !plans.get(sessionId)?.chains.has(chainKey));
  const keys = others.map(({ sessionId: s, chainKey: k }) => [`${s} ${k}`, { s, k }] as const);
  return [...new Map(keys).values()];
}

/** Read the rows with these keys. Without keys, no statement is sent. */
async function ask<R extends object>(
  tx: postgres.TransactionSql,
  keys: readonly object[],
  text: string,
): Promise<readonly R[]> {
  return keys.length === 0 ? [] : tx.unsafe<R[]>(text, [JSON.stringify(keys)], { prepare: true });
}
