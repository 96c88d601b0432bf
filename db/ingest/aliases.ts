/**
 * Client session ids, and the adoption of a session when two sessions name the same id.
 *
 * A watcher opens one session per transcript. The runner that drives the agent reports the client's session id. The
 * runner's session then adopts the watcher's session, in either order of arrival. If two transcripts or two runners
 * have the same id, the sessions stay separate, and the first session keeps the id. A client's session also adopts a
 * watched session with its own key. Two watched sessions with own keys and different sources are merged.
 */
import type postgres from 'postgres';
import { emptyChain } from '../../core/accounting/empty-fold';
import { cutPoints } from '../../core/protocol/code-points';
import { flagBit, sourceCode } from '../codes/turn-bits';
import { emptySessions } from '../delete-session';
import { groupBy } from '../group-by';
import { toJsonText } from '../json-text';
import { projectContext } from '../queries/project-settings';
import { arrayOf } from '../tables';
import {
  LOCKED_SESSION,
  matchCalls,
  mergePlaced,
  placedCall,
  STORED_CALL,
  type StoredCall,
  turnRow,
} from './columns';
import { refoldSession } from './refold';
import {
  type Arrival,
  arrivalsOf,
  BatchOutdated,
  DELIVERY_OUTCOME,
  type Holders,
  KEPT_COMPOSITIONS,
  type LockedSession,
  type PlacedReport,
  type SessionPlan,
  STRIDE,
  type TouchedSession,
} from './types';
import { type Batch, flushWrites, newWriteSet, noteDelivery } from './write';

/** Sources that only observe. A session with no other source can be adopted. */
const WATCHING = (1 << sourceCode('transcript')) | (1 << sourceCode('hook')) | (1 << sourceCode('otlp'));
const INHERITED = flagBit('inherited');
/** Longer client names are cut, because the size of an index row is limited. */
const MAX_CLIENT_LENGTH = 100;

/** Record the client ids that a session claims, after its rows are written. If another session has an id,
 * the runner's session adopts the watcher's session. */
export async function settleClaims(
  batch: Batch,
  { session, claims }: SessionPlan,
  holders: Holders,
): Promise<TouchedSession[]> {
  const touched: TouchedSession[] = [];
  for (const claim of claims) touched.push(...(await settleClaim(batch, session, claim, holders)));
  return touched;
}

/**
 * Mark the calls of locked sessions that are copies, and fold these sessions again. A call is a copy if the linked session
 * has a call with a common id and equal usage, and, unless the link is a fork, with the same time.
 * @param keys keys of the calls to compare; null: all calls of the sessions
 */
export async function markCopies(
  tx: postgres.TransactionSql,
  sessions: readonly Pick<LockedSession, 'id' | 'forkedFromId' | 'previousId'>[],
  keys: readonly string[] | null,
): Promise<TouchedSession[]> {
  const links = sessions.flatMap(({ id, forkedFromId, previousId }) =>
    forkedFromId === null && previousId === null ? [] : [{ id, forkedFromId, previousId }],
  );
  if (links.length === 0) return [];
  const compared =
    keys === null
      ? tx`select call_key from turns where session_id = l.id
          union select alias from call_aliases where session_id = l.id`
      : tx`with sent as (
            select key from unnest(${`{${keys}}`}::text::bigint[]) as key
            union select call_key from call_aliases
            where session_id = any(array[l.id, o.id]) and alias = any(${`{${keys}}`}::text::bigint[])
          )
          select key from sent
          union select alias from call_aliases
          where session_id = any(array[l.id, o.id]) and call_key = any(array(select key from sent))`;
  const callIn = (session: postgres.PendingQuery<postgres.Row[]>) => tx`coalesce(
    (select a.call_key from call_aliases a where a.session_id = ${session} and a.alias = k.key), k.key)`;
  const copies = await tx<{ id: number; position: number }[]>`
    update turns x set bits = (x.bits | ${INHERITED}) & ~${flagBit('readingIgnored')}::int
    from unnest(${arrayOf(links, 'id')}::text::bigint[], ${arrayOf(links, 'forkedFromId')}::text::uuid[],
      ${arrayOf(links, 'previousId')}::text::uuid[]) l (id, "forkedFromId", "previousId")
    join sessions s on s.public_id = any(array[l."forkedFromId", l."previousId"])
    cross join lateral (select coalesce(s.adopted_by, s.id) as id) o
    cross join lateral (${compared}) k (key)
    join turns p on p.session_id = o.id and p.call_key = ${callIn(tx`o.id`)}
    where x.session_id = l.id and x.call_key = ${callIn(tx`l.id`)} and o.id <> l.id
      and x.bits & ${INHERITED | flagBit('noUsage')} = 0
      and (x.input, x.output, x.cache_read, x.cache_creation) = (p.input, p.output, p.cache_read, p.cache_creation)
      and (s.public_id = l."forkedFromId" or x.runner_time = p.runner_time)
    returning x.session_id as id, x.position`;
  const touched: TouchedSession[] = [];
  for (const [id, marked] of groupBy(copies, (copy) => copy.id)) {
    const row = await readSession(tx, id);
    const [project] = await tx<{ settings: unknown }[]>`
      select settings from projects where id = ${row.projectId}`;
    const session = { ...row, version: row.version + 1 };
    const position = Math.min(...marked.map((copy) => copy.position));
    const writes = newWriteSet();
    const context = projectContext(project?.settings ?? null);
    await refoldSession({ tx, writes, session, context, from: position });
    writes.historyChanges.push({ sessionId: id, position });
    await flushWrites(tx, writes);
    touched.push({ id, publicId: row.publicId, version: session.version });
  }
  return touched;
}

async function settleClaim(
  batch: Batch,
  session: LockedSession,
  claim: PlacedReport,
  holders: Holders,
): Promise<TouchedSession[]> {
  const { item } = claim;
  if (!('clientSessionId' in item) || item.clientSessionId === undefined) return [];
  const { tx } = batch;
  const { clientSessionId } = item;
  const client = cutPoints(item.client ?? session.fold.client ?? '', MAX_CLIENT_LENGTH);
  const held = holders.get(clientSessionId) ?? [];
  const holder = held.find((other) => other.client === client || other.client === '' || client === '');
  if (!holder) {
    const rows = await tx`
      insert into session_aliases (client, client_session_id, session_id)
      values (${client}, ${clientSessionId}, ${session.id})
      on conflict do nothing returning 1`;
    // Another process claimed the id at the same time. The next attempt also locks the session of that claim.
    if (rows.length === 0)
      throw new BatchOutdated(`the client session ${clientSessionId} was claimed meanwhile`);
    holders.set(clientSessionId, [...held, { id: session.id, client }]);
    return [];
  }
  if (holder.id === session.id) return [];
  const ours = await readSession(tx, session.id);
  const theirs = await readSession(tx, holder.id);
  // Another session of this batch claimed the id first.
  const isForeign = ({ stream }: Arrival) =>
    stream.boundBy !== undefined && stream.projectId !== theirs.projectId;
  if (arrivalsOf(claim).some(isForeign)) return [];
  if ([ours, theirs].some(({ deletedAt, adoptedBy }) => deletedAt !== null || adoptedBy !== null)) return [];
  const isOurs = canAdopt(ours, theirs);
  if (!isOurs && !canAdopt(theirs, ours)) return [];
  const [adopter, adopted] = isOurs ? [ours, theirs] : [theirs, ours];
  const touched = await adoptSession(batch, adopter, adopted);
  for (const each of [...holders.values()].flat()) if (each.id === adopted.id) each.id = adopter.id;
  return touched;
}

const isWatched = ({ sources }: LockedSession): boolean => (sources & 15 & ~WATCHING) === 0;

/** Of two watched sessions with own keys and different sources, the older session adopts the other. */
function canAdopt(to: LockedSession, from: LockedSession): boolean {
  if (!isWatched(from) || !isWatched(to)) return isWatched(from);
  if (to.projectRank > 0 || from.projectRank > 0) return to.projectRank > 0 && from.projectRank === 0;
  return to.id < from.id && (to.sources & from.sources & 15) === 0;
}

/** Move a session's items, client ids and streams into another session. The row of the moved session then redirects. */
async function adoptSession(
  { tx, contexts }: Batch,
  to: LockedSession,
  from: LockedSession,
): Promise<TouchedSession[]> {
  await renameCalls(tx, from, to);
  const merged = await mergeDoubled(tx, from.id, to.id);
  const chainCount = await adoptChains(tx, from, to);
  const { first, last: lastPosition } = await moveItems(tx, from, to);
  const hasCompositions = await moveRest(tx, from.id, to.id);
  await emptySessions(tx, [from.id], tx`adopted_by = ${to.id}`);

  const { id } = to;
  const writes = newWriteSet();
  const position = Math.min(first, merged);
  const next = {
    ...to,
    sources: to.sources | from.sources,
    lastPosition,
    chainCount,
    lastActivityAt: Math.max(to.lastActivityAt ?? 0, from.lastActivityAt ?? 0) || null,
    version: to.version + 1,
  };
  const task = { tx, writes, session: next, context: contexts.get(to.projectId) };
  await refoldSession({ ...task, from: position });
  writes.historyChanges.push({ sessionId: id, position }, { sessionId: from.id, position: 0 });
  if (hasCompositions) {
    writes.oldCompositions.push({ sessionId: id, kept: KEPT_COMPOSITIONS });
    writes.compositionMarks.push({ sessionId: id });
  }
  await flushWrites(tx, writes);
  return [
    { id, publicId: to.publicId, version: next.version },
    { id: from.id, publicId: from.publicId, version: from.version + 1 },
  ];
}

async function readSession(tx: postgres.TransactionSql, id: number): Promise<LockedSession> {
  const [row] = await tx<LockedSession[]>`select ${tx.unsafe(LOCKED_SESSION)} from sessions where id = ${id}`;
  if (!row) throw new Error(`the session ${id} has no row`);
  return row;
}

/** Give each call of `from` the key of the same call in `to`, found by a common id or by usage. Move the aliases. */
async function renameCalls(
  tx: postgres.TransactionSql,
  { id: from, ...adopted }: LockedSession,
  { id: to, sources }: LockedSession,
): Promise<void> {
  const namesOf = (id: number) => tx`(
    select call_key as name, call_key from turns where session_id = ${id}
    union all
    select alias, call_key from call_aliases where session_id = ${id})`;
  const rename = (same: postgres.PendingQuery<postgres.Row[]>) => tx`
    with same as (${same}),
    renamed as (
      update turns x set call_key = same.key from same where x.session_id = ${from} and x.call_key = same.was
    ),
    refuted as (
      update refuted_limits x set call_key = same.key from same
      where x.session_id = ${from} and x.call_key = same.was
    ),
    known as (insert into call_aliases select ${to}::bigint, was, key from same on conflict do nothing)
    update call_aliases x set call_key = same.key from same
    where x.session_id = ${from} and x.call_key = same.was`;
  await rename(tx`
    select distinct on (t.call_key) f.call_key as was, t.call_key as key
    from ${namesOf(from)} f join ${namesOf(to)} t on t.name = f.name
    where f.call_key <> t.call_key
      and not exists (select from turns d where d.session_id = ${from} and d.call_key = t.call_key)`);
  if ((adopted.sources | sources) >> 4 !== 0) {
    const pairs = matchCalls(await readCalls(tx, from, to, false), await readCalls(tx, to, from, false));
    await rename(
      tx`select * from unnest(${arrayOf(pairs, 'was')}::text::bigint[], ${arrayOf(pairs, 'key')}::text::bigint[]) as r (was, key)`,
    );
  }
  await tx`
    insert into call_aliases select ${to}::bigint, alias, call_key from call_aliases where session_id = ${from}
    on conflict do nothing`;
}

/** Merge calls that both sessions have. The better source decides the place. @returns the lowest position in `to` */
async function mergeDoubled(tx: postgres.TransactionSql, from: number, to: number): Promise<number> {
  const theirs = await readCalls(tx, from, to, true);
  const ours = new Map((await readCalls(tx, to, from, true)).map((row) => [row.callKey, row]));
  const writes = newWriteSet();
  for (const their of theirs) {
    const our = ours.get(their.callKey);
    if (!our) continue;
    const mine = { row: our, call: placedCall(our), sessionId: to };
    const adopted = { row: their, call: placedCall(their), sessionId: from };
    // The better source decides the place, because it also reports the boundaries between its calls.
    const isBetter = adopted.call.source < mine.call.source;
    const [kept, other] = isBetter ? [adopted, mine] : [mine, adopted];
    noteDelivery(writes, other.call, DELIVERY_OUTCOME.duplicate);
    writes.removedTurns.push({ sessionId: other.sessionId, position: other.call.position });
    const merged = mergePlaced(kept.call, other.call);
    const modelId = kept.row.modelId ?? other.row.modelId;
    if (merged) writes.changedTurns.push(turnRow(merged, { ...kept.row, modelId }, null));
    for (const { sessionId, call } of merged ? [kept, other] : [other])
      if (call.isRefuted) writes.removedRefutedLimits.push({ sessionId, callKey: call.callKey });
  }
  await flushWrites(tx, writes);
  return Math.min(...[...ours.values()].map(({ position }) => position), Number.MAX_SAFE_INTEGER);
}

/** Read the calls of a session that another session also has (`areShared`), or does not have, in order. */
async function readCalls(
  tx: postgres.TransactionSql,
  of: number,
  other: number,
  areShared: boolean,
): Promise<StoredCall[]> {
  return tx<StoredCall[]>`
    select ${tx.unsafe(STORED_CALL)} from turns t
    where t.session_id = ${of} and ${areShared} = exists (
      select 1 from turns o where o.session_id = ${other} and o.call_key = t.call_key
    )
    order by t.position`;
}

/** Renumber the chains of the adopted session in the adopting session. @returns the new number of chains */
async function adoptChains(
  tx: postgres.TransactionSql,
  from: LockedSession,
  to: LockedSession,
): Promise<number> {
  const fold = toJsonText(emptyChain());
  await tx`
    insert into chains (session_id, chain, key, fold)
    values (${to.id}, 0, 'main', ${fold}::text::json) on conflict do nothing`;
  const added = await tx`
    insert into chains (session_id, chain, key, fold)
    select ${to.id}::bigint, ${to.chainCount}::int - 1 + row_number() over (order by f.chain)::int, f.key,
      ${fold}::text::json
    from chains f
    where f.session_id = ${from.id} and not exists (
      select 1 from chains t where t.session_id = ${to.id} and t.key = f.key
    )
    returning 1`;
  return to.chainCount + added.length;
}

/**
 * Move turns and reports, and merge the items of both sessions by time. Each session keeps its own order; at equal times,
 * the items of the adopting session are first.
 * @returns the first position that changes, and the last position
 */
async function moveItems(
  tx: postgres.TransactionSql,
  from: LockedSession,
  to: LockedSession,
): Promise<{ first: number; last: number }> {
  const rows = (table: string, session: number) => tx`
    select ${session === from.id} as adopted, position, runner_time from ${tx(table)} where session_id = ${session}`;
  const [moved] = await tx<{ first: number | null; last: number | null }[]>`
    with x as (
      ${rows('turns', from.id)} union all ${rows('reports', from.id)}
      union all ${rows('turns', to.id)} union all ${rows('reports', to.id)}
    ),
    timed as (select *, max(runner_time) over (partition by adopted order by position) as time from x),
    ordered as (
      select *, bool_or(adopted) over w as moves from timed
      window w as (order by time, adopted, position rows unbounded preceding)
    ),
    -- Rows move beyond the last position, so that no two rows collide.
    places as materialized (
      select adopted, position as was,
        ${to.lastPosition}::bigint
          + ${STRIDE}::bigint * row_number() over (order by time, adopted, position) as position
      from ordered where moves
    ),
    moved_turns as (
      update turns x set session_id = ${to.id}, position = p.position, chain = t.chain
      from places p, chains f join chains t on t.session_id = ${to.id} and t.key = f.key
      where p.adopted and x.session_id = ${from.id} and x.position = p.was
        and f.session_id = ${from.id} and f.chain = x.chain
    ),
    moved_reports as (
      update reports x set session_id = ${to.id}, position = p.position from places p
      where p.adopted and x.session_id = ${from.id} and x.position = p.was
    ),
    own_turns as (
      update turns x set position = p.position from places p
      where not p.adopted and x.session_id = ${to.id} and x.position = p.was
    ),
    own_reports as (
      update reports x set position = p.position from places p
      where not p.adopted and x.session_id = ${to.id} and x.position = p.was
    )
    select coalesce(min(was) filter (where not adopted), min(position)) as first, max(position) as last from places`;
  return { first: moved?.first ?? Number.MAX_SAFE_INTEGER, last: moved?.last ?? to.lastPosition };
}

/**
 * Move client ids, streams, notes, redirects, refuted limits and compositions. Of two compositions of a call, the better
 * source wins.
 * @returns whether a composition moved
 */
async function moveRest(tx: postgres.TransactionSql, from: number, to: number): Promise<boolean> {
  await tx`update session_aliases set session_id = ${to} where session_id = ${from}`;
  await tx`
    insert into session_streams (session_id, stream_id, max_seq)
    select ${to}::bigint, stream_id, max_seq from session_streams where session_id = ${from}
    on conflict (session_id, stream_id)
    do update set max_seq = greatest(session_streams.max_seq, excluded.max_seq)`;
  // The adopting session numbers its turns differently, so a note keeps only its time. The caller then raises the
  // session's version to the same number.
  await tx`
    with moved as (
      update notes set session_id = ${to}, turn = null, version = version + 1 where session_id = ${from} returning 1
    )
    update sessions set notes_version = version + 1 where id = ${to} and exists (select from moved)`;
  await tx`update sessions set adopted_by = ${to} where adopted_by = ${from}`;
  const compositions = await tx`
    insert into compositions (session_id, call_key, stream_id, seq, source, runner_time, composition)
    select ${to}::bigint, call_key, stream_id, seq, source, runner_time, composition
    from compositions where session_id = ${from}
    on conflict (session_id, call_key) do update set stream_id = excluded.stream_id, seq = excluded.seq,
      source = excluded.source, runner_time = excluded.runner_time, composition = excluded.composition
      where excluded.source < compositions.source
    returning 1`;
  await tx`
    insert into refuted_limits (session_id, call_key, limit_tokens, source)
    select ${to}::bigint, call_key, limit_tokens, source from refuted_limits where session_id = ${from}`;
  for (const table of ['session_streams', 'compositions', ...FOLLOWING]) {
    await tx`delete from ${tx(table)} where session_id = ${from}`;
  }
  return compositions.length > 0;
}

const FOLLOWING = [
  'call_aliases',
  'refuted_limits',
  'events',
  'contexts',
  'chains',
  'checkpoints',
  'pyramid',
];
