/**
 * Ids under which clients know a session, and what happens when two sessions name the same one.
 *
 * A watcher opens a session per transcript; the runner that drives the agent knows the client's id of it and states it.
 * Then the two are one: the runner's session adopts the watcher's, whichever came first. Two
 * transcripts may name one id (real files do), and stay separate; so do two runners, and the first keeps the id.
 */
import type postgres from 'postgres';
import { emptyChain } from '../../core/accounting/empty-fold';
import { emptySessionFold } from '../../core/accounting/fold';
import type { Thresholds } from '../../core/accounting/types';
import { sourceCode } from '../codes/sources';
import { toJsonText } from '../json-text';
import { mergeCalls, placedCall, type StoredTurn, storedTurn, turnRow } from './columns';
import { lockedSession } from './lock';
import { STRIDE } from './place';
import { refoldSession } from './refold';
import {
  type AliasClaim,
  type Arrival,
  BatchOutdated,
  DELIVERY_OUTCOME,
  KEPT_COMPOSITIONS,
  type LockedSession,
  type PlacedCall,
  type SessionPlan,
  type TouchedSession,
} from './types';
import { flushWrites, newWriteSet, type WriteSet } from './write';

/** Sources that only observe: a session that they open belongs to the runner that claims it. */
const WATCHING = (1 << sourceCode('transcript')) | (1 << sourceCode('hook')) | (1 << sourceCode('otlp'));
/** An index row has room for so much of a client's name. */
const MAX_CLIENT_LENGTH = 100;

interface Holder {
  id: number;
  client: string;
}

/** Sessions that hold the client ids of a batch, by project and client session id. */
export type Holders = Map<string, Holder[]>;

type Adopt = Omit<Adoption, 'adopter' | 'adopted' | 'claimedAt'>;

/** Who holds the client ids that the batch names, before any session is locked: they must be locked with the batch. */
export async function findHolders(
  tx: postgres.TransactionSql,
  arrivals: readonly Arrival[],
): Promise<Holders> {
  const holders: Holders = new Map();
  const keys = arrivals.flatMap(({ item, stream }) =>
    'clientSessionId' in item && item.clientSessionId !== undefined
      ? [{ p: stream.projectId, c: item.clientSessionId }]
      : [],
  );
  if (keys.length === 0) return holders;
  const rows = await tx<(Holder & { projectId: number; clientSessionId: string })[]>`
    select distinct project_id as "projectId", client_session_id as "clientSessionId", client, session_id as id
    from json_to_recordset(${toJsonText(keys)}::text::json) as r (p int, c text)
    join session_aliases a on a.project_id = r.p and a.client_session_id = r.c`;
  for (const { projectId, clientSessionId, ...holder } of rows) {
    const name = holderName(projectId, clientSessionId);
    holders.set(name, [...(holders.get(name) ?? []), holder]);
  }
  return holders;
}

/** Record the claims of the batch's new items, once their rows are written; adopt where two sessions are one. */
export async function settleClaims(
  adopt: Adopt,
  plans: readonly SessionPlan[],
  holders: Holders,
): Promise<TouchedSession[]> {
  const touched: TouchedSession[] = [];
  for (const plan of plans) {
    for (const claim of plan.claims) touched.push(...(await settleClaim(adopt, plan, claim, holders)));
  }
  return touched;
}

async function settleClaim(
  adopt: Adopt,
  { session }: SessionPlan,
  claim: AliasClaim,
  holders: Holders,
): Promise<TouchedSession[]> {
  const { tx } = adopt;
  const client = clientName(claim.client ?? session.fold.client);
  const name = holderName(claim.projectId, claim.clientSessionId);
  const held = holders.get(name) ?? [];
  const holder = held.find((other) => other.client === client || other.client === '' || client === '');
  if (!holder) {
    await insertAlias(tx, claim, client, session.id);
    holders.set(name, [...held, { id: session.id, client }]);
    return [];
  }
  if (holder.id === session.id) return [];
  const watched = await findWatched(tx, [session.id, holder.id]);
  if (watched.has(session.id) === watched.has(holder.id)) return [];
  const isOurs = watched.has(holder.id);
  const adopter = isOurs ? session.id : holder.id;
  const adopted = isOurs ? holder.id : session.id;
  const claimedAt = isOurs ? claim.by.position : await findClaim(tx, adopter, claim.clientSessionId);
  const touched = await adoptSession({ ...adopt, adopter, adopted, claimedAt });
  for (const each of [...holders.values()].flat()) if (each.id === adopted) each.id = adopter;
  return touched;
}

async function insertAlias(
  tx: postgres.TransactionSql,
  { projectId, clientSessionId }: AliasClaim,
  client: string,
  sessionId: number,
): Promise<void> {
  const rows = await tx`
    insert into session_aliases (project_id, client, client_session_id, session_id)
    values (${projectId}, ${client}, ${clientSessionId}, ${sessionId})
    on conflict do nothing returning 1`;
  // Another process claimed it at the same time: the next attempt finds and locks that session too.
  if (rows.length === 0)
    throw new BatchOutdated(`the client session ${clientSessionId} was claimed meanwhile`);
}

/** Which of two sessions only observing sources reported. None where one of them is deleted or adopted. */
async function findWatched(tx: postgres.TransactionSql, ids: number[]): Promise<Set<number>> {
  const rows = await tx<{ id: number; sources: number; gone: boolean }[]>`
    select id, sources, (deleted_at is not null or adopted_by is not null) as gone
    from sessions where id in ${tx(ids)}`;
  if (rows.some(({ gone }) => gone)) return new Set();
  return new Set(rows.filter(({ sources }) => (sources & ~WATCHING) === 0).map(({ id }) => id));
}

/** Where a session claimed a client id; the newest claim, or 0 where none is found. */
async function findClaim(
  tx: postgres.TransactionSql,
  sessionId: number,
  clientSessionId: string,
): Promise<number> {
  const [row] = await tx<{ position: number }[]>`
    select position from reports
    where session_id = ${sessionId} and item->>'clientSessionId' = ${clientSessionId}
    order by position desc limit 1`;
  return row?.position ?? 0;
}

function clientName(client: string | null): string {
  // Through bytes and back: cutting may have halved a character.
  return Buffer.from((client ?? '').slice(0, MAX_CLIENT_LENGTH)).toString();
}

function holderName(projectId: number, clientSessionId: string): string {
  return `${projectId} ${clientSessionId}`;
}

interface Adoption {
  tx: postgres.TransactionSql;
  adopter: number;
  adopted: number;
  /** Position of the claim in the adopter; 0: unknown, the items go to its end. */
  claimedAt: number;
  thresholdsOf(projectId: number): Thresholds;
  /** Name of a project. */
  projectOf(projectId: number): string;
}

/**
 * Move the items of one session behind the claim in another; its ids and streams follow, and its row redirects. Both rows
 * are locked by the batch.
 */
async function adoptSession(adoption: Adoption): Promise<TouchedSession[]> {
  const { tx, adopter, adopted, claimedAt } = adoption;
  const to = await readSession(tx, adopter);
  const from = await readSession(tx, adopted);
  const claim = claimedAt === 0 ? to.lastPosition : claimedAt;
  const merged = await mergeDoubled(tx, from.id, to.id);
  const chainCount = await adoptChains(tx, from, to);
  const lastPosition = await moveItems(tx, from, to, claim);
  await moveNames(tx, from.id, to.id);
  const hasCompositions = await moveCompositions(tx, from.id, to.id);
  await clearAdopted(tx, from.id, to.id);

  const owner = Math.min(to.owner, from.owner);
  const writes = newWriteSet();
  const changedFrom = Math.min(claim + 1, merged ?? Number.MAX_SAFE_INTEGER);
  const activity = Math.max(to.lastActivityAt ?? 0, from.lastActivityAt ?? 0);
  const version = to.version + 1;
  await refoldSession({
    tx,
    writes,
    session: to,
    project: adoption.projectOf(to.projectId),
    thresholds: adoption.thresholdsOf(to.projectId),
    from: owner === to.owner ? changedFrom : 0,
    mark: {
      owner,
      sources: to.sources | from.sources,
      lastPosition,
      chainCount,
      recomputeFrom: to.recomputeFrom,
      lastActivityAt: activity || null,
      version,
    },
    isDescribed: true,
  });
  writes.historyChanges.push(
    { sessionId: to.id, position: changedFrom },
    { sessionId: from.id, position: 0 },
  );
  if (hasCompositions) {
    writes.oldCompositions.push({ sessionId: to.id, kept: KEPT_COMPOSITIONS });
    writes.compositionMarks.push({ sessionId: to.id });
  }
  await flushWrites(tx, writes);
  return [
    { id: to.id, publicId: to.publicId, version },
    { id: from.id, publicId: from.publicId, version: from.version + 1 },
  ];
}

async function readSession(tx: postgres.TransactionSql, id: number): Promise<LockedSession> {
  const [row] = await tx<LockedSession[]>`select ${lockedSession(tx)} from sessions where id = ${id}`;
  if (!row) throw new Error(`the session ${id} has no row`);
  return row;
}

/**
 * Take the calls that both sessions hold out of `from`, and what they know into the rows of `to`.
 *
 * @returns the lowest position in `to` that changed; null: none
 */
async function mergeDoubled(tx: postgres.TransactionSql, from: number, to: number): Promise<number | null> {
  const theirs = await readDoubled(tx, from, to);
  if (theirs.size === 0) return null;
  const ours = await readDoubled(tx, to, from);
  const writes = newWriteSet();
  for (const [key, row] of theirs) {
    const their = placedCall(row);
    const { streamId, seq, hash, serverTime: receivedAt, position } = their;
    const outcome = DELIVERY_OUTCOME.duplicate;
    writes.deliveries.push({ streamId, seq, hash, outcome, refusal: null, receivedAt });
    writes.removedTurns.push({ sessionId: from, position });
    const our = ours.get(key);
    const merged = our && mergePlaced(placedCall(our), their);
    if (merged) writes.changedTurns.push(changedRow(merged, our, row));
  }
  await flushWrites(tx, writes);
  const positions = writes.changedTurns.map(({ position }) => position);
  return positions.length === 0 ? null : Math.min(...positions);
}

function changedRow(call: PlacedCall, our: StoredTurn, their: StoredTurn): WriteSet['changedTurns'][number] {
  return turnRow(call, { ...our, modelId: our.modelId ?? their.modelId }, null);
}

async function readDoubled(
  tx: postgres.TransactionSql,
  of: number,
  other: number,
): Promise<Map<string, StoredTurn>> {
  const rows = await tx<StoredTurn[]>`
    select ${storedTurn(tx)} from turns t
    where t.session_id = ${of} and exists (
      select 1 from turns o where o.session_id = ${other} and o.call_key = t.call_key
    )`;
  return new Map(rows.map((row) => [row.callKey, row]));
}

/** What the row of `ours` is to hold; null: it holds everything already. The better source's figures win. */
function mergePlaced(ours: PlacedCall, theirs: PlacedCall): PlacedCall | null {
  const isBetter = sourceCode(theirs.source) < sourceCode(ours.source);
  const source = isBetter ? theirs.source : ours.source;
  const merge = mergeCalls(ours.item, theirs.item, 'stored');
  if (merge.kind === 'amended') return { ...ours, item: merge.item, source };
  if (!isBetter) return null;
  if (merge.kind === 'same') return { ...ours, source };
  return { ...ours, item: { ...theirs.item, chain: ours.item.chain }, source };
}

/** Chains of the adopted session get numbers in the adopter, those of the same key the same; returns the count. */
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

/** Move turns and reports behind the claim, in their order and with their distances; returns the last position. */
async function moveItems(
  tx: postgres.TransactionSql,
  from: LockedSession,
  to: LockedSession,
  claim: number,
): Promise<number> {
  const [range] = await tx<{ first: number | null; last: number | null }[]>`
    select min(position) as first, max(position) as last from (
      select position from turns where session_id = ${from.id}
      union all
      select position from reports where session_id = ${from.id}
    ) x`;
  if (range?.first == null || range.last == null) return to.lastPosition;
  const span = range.last - range.first + 2 * STRIDE;
  // Further than the rows reach, so that none takes the position of another.
  const shift = Math.max(span, to.lastPosition - claim + STRIDE);
  const isLast = to.lastPosition <= claim;
  if (!isLast) {
    for (const table of ['turns', 'reports']) {
      await tx`
        update ${tx(table)} set position = position + ${shift}::bigint
        where session_id = ${to.id} and position > ${claim}`;
    }
    await tx`delete from checkpoints where session_id = ${to.id} and position > ${claim}`;
  }
  const offset = claim + STRIDE - range.first;
  await tx`
    update turns x set session_id = ${to.id}, position = x.position + ${offset}::bigint, chain = t.chain
    from chains f join chains t on t.session_id = ${to.id} and t.key = f.key
    where x.session_id = ${from.id} and f.session_id = ${from.id} and f.chain = x.chain`;
  await tx`
    update reports set session_id = ${to.id}, position = position + ${offset}::bigint
    where session_id = ${from.id}`;
  return isLast ? range.last + offset : to.lastPosition + shift;
}

/** Point everything that names the adopted session to the adopter. */
async function moveNames(tx: postgres.TransactionSql, from: number, to: number): Promise<void> {
  await tx`update session_aliases set session_id = ${to} where session_id = ${from}`;
  await tx`
    insert into session_streams (session_id, stream_id, max_seq)
    select ${to}::bigint, stream_id, max_seq from session_streams where session_id = ${from}
    on conflict (session_id, stream_id)
    do update set max_seq = greatest(session_streams.max_seq, excluded.max_seq)`;
  await tx`delete from session_streams where session_id = ${from}`;
  // Notes stay at their time; which turn that is among the adopter's is not known. The fold raises the version.
  await tx`
    with moved as (
      update notes set session_id = ${to}, turn = null, version = version + 1 where session_id = ${from} returning 1
    )
    update sessions set notes_version = version + 1 where id = ${to} and exists (select from moved)`;
  await tx`update sessions set adopted_by = ${to} where adopted_by = ${from}`;
}

/** Delete what followed from the moved items; the row stays, empty, and redirects. */
async function clearAdopted(tx: postgres.TransactionSql, from: number, to: number): Promise<void> {
  for (const table of ['events', 'contexts', 'chains', 'checkpoints', 'pyramid']) {
    await tx`delete from ${tx(table)} where session_id = ${from}`;
  }
  const { chains: _none, ...fold } = emptySessionFold();
  await tx`
    update sessions set adopted_by = ${to}, fold = ${toJsonText(fold)}::text::json, last_position = 0,
      chain_count = 1, items_since_checkpoint = 0, recompute_from = null, used = null, pressure = null,
      state = 'unknown', minutes_left = null, silent_after_ms = null, turn_count = 0, composition_version = null,
      notes_version = null, version = version + 1, changed_at = clock_timestamp()
    where id = ${from}`;
}

/**
 * Move what is known of the adopted session's calls. Where both sessions hold one of a call, the better source's wins,
 * or else the adopter's.
 *
 * @returns whether there was any
 */
async function moveCompositions(tx: postgres.TransactionSql, from: number, to: number): Promise<boolean> {
  const moved = await tx`
    insert into compositions (session_id, call_key, stream_id, seq, source, runner_time, composition)
    select ${to}::bigint, call_key, stream_id, seq, source, runner_time, composition
    from compositions where session_id = ${from}
    on conflict (session_id, call_key) do update set stream_id = excluded.stream_id, seq = excluded.seq,
      source = excluded.source, runner_time = excluded.runner_time, composition = excluded.composition
      where excluded.source < compositions.source
    returning 1`;
  await tx`delete from compositions where session_id = ${from}`;
  return moved.length > 0;
}
