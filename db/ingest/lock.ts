/**
 * Opens a batch: locks first the streams and then the sessions, each in the order of their ids. The same round trip
 * reads every stored row that an item might repeat.
 */
import type postgres from 'postgres';
import type { SeqRange } from '../../core/protocol/messages';
import { inRanges, toRanges } from '../../core/protocol/ranges';
import { hasLevel } from '../alerts/derive-alerts';
import { formatRanges, parseRanges } from '../codes/seq-ranges';
import { TURN_BITS } from '../codes/turn-bits';
import { groupBy } from '../group-by';
import { projectContext } from '../queries/project-settings';
import { milliseconds, statement } from '../tables';
import { LOCKED_SESSION, placedCall, REPORTERS_SHIFT, type StoredCall, storedCall } from './columns';
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
import { type Alerting, type Batch, newWriteSet } from './write';

export interface BatchInput extends Alerting {
  arrivals: readonly Arrival[];
  unknown: readonly Arrival[];
  names: KnownNames;
  models: ReadonlyMap<string, number>;
  /** Refuse late items of long sessions, so that their senders are recorded apart. */
  defers: boolean;
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
  { arrivals, models, names, book }: BatchInput,
  created: ReadonlyMap<string, number>,
): Promise<OpenedBatch> {
  const namesClients = arrivals.some(({ item }) => 'clientSessionId' in item);
  const holders: Holders = namesClients ? await findHolders(tx, arrivals) : new Map();
  const groups = groupBySession(arrivals, names, created, holders);
  const { plans, linked, ...read } = await lockAll(tx, arrivals, groups, names);
  const projects = new Map(plans.map(({ session }) => [session.id, session.projectId]));
  for (const plan of plans) refuseForeign(plan, holders, projects);
  const keepsFigures = book.rules.some(hasLevel);
  const shared = { settled: new Map(), outcomes: new Map(), writes: newWriteSet(), keepsFigures };
  return { batch: { tx, arrivals, models, ...read, ...shared }, plans, holders, linked };
}

/** Size of a stream's ranges, about a thousand, above which each write of them takes long. */
const COSTLY_BYTES = 8_192;

/** Lock streams. @returns which of the given seqs each stream has received; a stream may have very many others */
export async function lockStreams(
  tx: postgres.TransactionSql,
  arrivals: readonly Arrival[],
): Promise<Map<number, SeqRange[]>> {
  const seqs = [...groupBy(arrivals, ({ streamId }) => streamId)].map(([t, own]) => ({
    t,
    r: formatRanges(toRanges(own.map(({ seq }) => seq))),
  }));
  const rows = await STREAM_SEQS(tx, seqs);
  const costly = new Set(rows.filter(({ bytes }) => bytes > COSTLY_BYTES).map(({ id }) => id));
  for (const { streamId, stream } of arrivals) stream.isCostly = costly.has(streamId);
  return new Map(rows.map(({ id, received }) => [id, parseRanges(received)]));
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
  const rows = await HOLDERS(tx, keys);
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

async function lockAll(
  tx: postgres.TransactionSql,
  arrivals: readonly Arrival[],
  groups: ReadonlyMap<number, Arrival[]>,
  names: KnownNames,
): Promise<Pick<Batch, 'contexts' | 'resent'> & Pick<OpenedBatch, 'plans' | 'linked'>> {
  const keys = keysOf(groups);
  // One round trip. The statements run in this order, so all reads see the rows under the locks.
  const [received, rows, linked, chains, calls, reports, compositions, seqs, projects] = await Promise.all([
    lockStreams(tx, arrivals),
    LOCK_SESSIONS(tx, keys.sessions),
    LINKED(tx, keys.sessions),
    CHAINS(tx, keys.chains),
    CALLS(tx, keys.calls),
    REPORTS(tx, keys.reports),
    COMPOSITIONS(tx, keys.compositions),
    STREAMS(tx, keys.streams),
    PROJECTS(tx, keys.projects),
  ]);
  for (const arrival of arrivals) {
    arrival.isResent = inRanges(received.get(arrival.streamId) ?? [], arrival.seq);
  }
  const again = resentKeys(groups);
  const [resent, gaps] = await Promise.all([
    DELIVERIES(tx, again),
    GAPS(
      tx,
      again.map(({ q, ...key }) => ({ ...key, q: -q })),
    ),
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
  const known: StoredCall[] = [];
  for (const { asked, s, ...row } of calls) {
    const plan = plans.get(s);
    if (asked !== row.callKey) plan?.oldAliases.add(asked);
    if (row.callKey === null) continue;
    known.push(row);
    plan?.calls.set(row.callKey, placedCall(row));
    if (asked !== row.callKey) plan?.aliases.set(asked, row.callKey);
  }
  const candidates = (
    await Promise.all(
      candidateKeys(plans).map(({ s, x, u }) =>
        tx.unsafe<StoredCall[]>(CANDIDATES, [s, x, u], { prepare: true }),
      ),
    )
  ).flat();
  const otherKeys = otherChainKeys(plans, [...known, ...candidates]);
  const otherChains = await CHAINS(tx, otherKeys);
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
  const calls: { s: number; c: string }[] = [];
  const reports: { s: number; t: number; q: number; h: string }[] = [];
  const compositions: { s: number; c: string }[] = [];
  const streams: { s: number; t: number }[] = [];
  const projects = new Set<number>();
  for (const [s, arrivals] of groups) {
    const named = new Set(['main']);
    const called = new Set<string>();
    const sending = new Set<number>();
    for (const arrival of arrivals) {
      const { streamId: t, seq: q, hash: h, callKey: c, otherKeys, composition } = arrival;
      named.add(chainOf(arrival.item));
      sending.add(t);
      projects.add(arrival.stream.projectId);
      if (c === null) reports.push({ s, t, q, h });
      else for (const each of [c, ...otherKeys]) called.add(each);
      if (c !== null && composition) compositions.push({ s, c });
    }
    for (const k of named) chains.push({ s, k });
    for (const c of called) calls.push({ s, c });
    for (const t of sending) streams.push({ s, t });
  }
  return {
    sessions: [...groups.keys()].map((s) => ({ s })),
    chains,
    calls,
    reports,
    compositions,
    streams,
    projects: [...groups.keys()]
      .map((s): { s?: number; p?: number } => ({ s }))
      .concat([...projects].map((p) => ({ p }))),
  };
}

function resentKeys(groups: ReadonlyMap<number, Arrival[]>) {
  return [...groups].flatMap(([s, arrivals]) =>
    arrivals.flatMap(({ streamId: t, seq: q, isResent }) => (isResent ? [{ s, t, q }] : [])),
  );
}

const STREAM_SEQS = statement<{ t: number; r: string }, { id: number; received: string; bytes: number }>(`
  select x.id, pg_column_size(x.received) as bytes, (x.received * r.r::int8multirange)::text as received from records (t int, r text)
  join streams x on x.id = r.t order by x.id for update of x`);
const HOLDERS = statement<{ c: string }, { id: number; client: string; name: string }>(`
  select distinct client_session_id as name, client, session_id as id
  from records (c text) join session_aliases a on a.client_session_id = r.c`);
const LOCK_SESSIONS = statement<{ s: number }, LockedSession>(`
  select ${LOCKED_SESSION} from sessions where id = any(array(select s from records (s bigint))) order by id for update`);
const LINKED = statement<{ s: number }, { id: number }>(`
  select l.id from records (s bigint)
  cross join lateral (
    select public_id from sessions where id = r.s union all select public_id from sessions where adopted_by = r.s
  ) o
  cross join lateral (
    select id from sessions where forked_from_id = o.public_id
    union all select id from sessions where previous_id = o.public_id
  ) l`);
/** "is true" keeps the hashed comparison: one index scan for each key would read all chains of its session. */
const CHAINS = statement<{ s: number; k: string }, StoredChain & { sessionId: number }>(`
  with r as materialized (select * from records (s bigint, k text))
  select c.session_id as "sessionId", c.chain, c.key, c.fold from chains c
  where c.session_id = any(array(select distinct s from r)) and within(c.session_id, s) and ((c.session_id, c.key) in (select s, k from r)) is true`);
const CALL = storedCall('within(c.session_id, s)');
/** Keys are grouped by session, because one index scan for an array of keys is cheaper than one scan for each key. */
const CALLS = statement<{ s: number; c: string }, KnownTurn>(`
  with r as materialized (select s, array_agg(c) as keys from records (s bigint, c bigint) group by s),
  found as materialized (
    select ${CALL}, t.call_key::text as asked, r.s from r join turns t on t.session_id = r.s and t.call_key = any(r.keys)
  )
  select * from found
  union all
  select ${CALL}, a.alias::text, r.s
  from r cross join lateral (
    select * from call_aliases a where a.session_id = r.s and within(a.session_id, s) and a.alias = any(r.keys) offset 0
  ) a
  left join lateral (
    select * from turns t where t.session_id = a.session_id and within(t.session_id, s) and t.call_key = a.call_key offset 0
  ) t on true
  where not exists (select from found f where f."sessionId" = a.session_id and f.asked = a.alias::text)`);
/**
 * A stored call of session `s`, with the key by which it was found: its own, or that of an alias. An alias of a call that
 * the fold refused has no call.
 */
type KnownTurn = (StoredCall | { callKey: null }) & { asked: string; s: number };
/** For one session, because a distributed database plans no limit for each of several. */
const CANDIDATES = `
  select ${storedCall('c.session_id = $1')}
  from (select * from turns where session_id = $1 order by position desc limit 10000) t
  where (t.bits >> ${REPORTERS_SHIFT}) & $2::int = 0 and (not $3::boolean or t.bits & ${TURN_BITS.hasCall} = 0)
  order by t.position`;
const STORED_REPORT = 'p.session_id as "sessionId", p.stream_id as "streamId", p.seq, p.hash::text as hash';
const REPORTS = statement<{ s: number; t: number; q: number; h: string }, StoredReport>(`
  with r as (select * from records (s bigint, t int, q bigint, h bigint))
  select ${STORED_REPORT} from r join reports p on p.session_id = r.s and p.stream_id = r.t and p.seq = r.q
  union
  select ${STORED_REPORT} from r join reports p on p.session_id = r.s and p.hash = r.h`);
const COMPOSITIONS = statement<{ s: number; c: string }, CompositionRank & { sessionId: number }>(`
  select distinct x.session_id as "sessionId", x.call_key::text as "callKey", x.stream_id as "streamId", x.seq,
    x.source, ${milliseconds('x.runner_time')} as "runnerTime"
  from records (s bigint, c bigint) join compositions x on x.session_id = r.s and x.call_key = r.c`);
const STREAMS = statement<{ s: number; t: number }, { sessionId: number; streamId: number; maxSeq: number }>(`
  select x.session_id as "sessionId", x.stream_id as "streamId", x.max_seq as "maxSeq"
  from records (s bigint, t int) join session_streams x on x.session_id = r.s and x.stream_id = r.t`);
const PROJECTS = statement<{ s?: number; p?: number }, { id: number; settings: unknown }>(`
  select id, settings from projects where id = any(array(
    select coalesce(r.p, s.project_id) from records (s bigint, p int) left join sessions s on s.id = r.s
  ))`);

/** Stored outcomes of resent items that have no row. */
const DELIVERIES = statement<
  { t: number; q: number },
  { streamId: number; seq: number; hash: string; refusal: Refused | null }
>(`
  select d.stream_id as "streamId", d.seq, d.hash::text as hash, d.refusal
  from records (t int, q bigint) join deliveries d on d.stream_id = r.t and d.seq = r.q`);
/** Selects the gaps that replaced refused turns which the runner now resends. A gap has the negated seq of its turn. */
const GAPS = statement<{ s: number; t: number; q: number }, StoredReport>(`
  select ${STORED_REPORT} from records (s bigint, t int, q bigint)
  join reports p on p.session_id = r.s and p.stream_id = r.t and p.seq = r.q`);

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
function otherChainKeys(plans: ReadonlyMap<number, SessionPlan>, calls: readonly StoredCall[]) {
  const others = calls.filter(({ sessionId, chainKey }) => !plans.get(sessionId)?.chains.has(chainKey));
  const keys = others.map(({ sessionId: s, chainKey: k }) => [`${s} ${k}`, { s, k }] as const);
  return [...new Map(keys).values()];
}
