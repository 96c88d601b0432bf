/**
 * Ids under which clients know a session, and what happens when two sessions name the same one.
 *
 * A watcher opens a session per transcript; the runner that drives the agent knows the client's id of it and says
 * so. Then the two are one: the runner's session adopts the watcher's, whichever came first. Two transcripts may
 * well name one id (real files do), and stay what they are; so do two runners, and the first keeps the id.
 */
import type postgres from 'postgres';
import { sourceCode } from '../codes/sources';
import { adoptSession } from './adopt-session';
import type { Arrival } from './arrivals';
import { BatchOutdated } from './batch-outdated';
import { toJsonText } from './json-text';
import type { KnownSession } from './known-names';
import type { Recorder } from './recorder';
import type { AliasClaim, SessionPlan } from './session-plan';
import type { TouchedSession } from './types';

/** Sources that look on: what they open belongs to the runner that claims it. */
const WATCHING = (1 << sourceCode('transcript')) | (1 << sourceCode('hook')) | (1 << sourceCode('otlp'));
/** An index row has room for so much of a client's name. */
const MAX_CLIENT_LENGTH = 100;

interface Holder extends KnownSession {
  client: string;
}

export interface Holders {
  /** Sessions that must be locked with the batch. */
  sessions: KnownSession[];
  /** By project and client session id. */
  byId: Map<string, Holder[]>;
}

/** Who holds the client ids that the batch names, before any session is locked. */
export async function findHolders(
  tx: postgres.TransactionSql,
  arrivals: readonly Arrival[],
): Promise<Holders> {
  const keys = arrivals.flatMap(({ item, stream }) =>
    'clientSessionId' in item && item.clientSessionId !== undefined
      ? [{ p: stream.projectId, c: item.clientSessionId }]
      : [],
  );
  const holders: Holders = { sessions: [], byId: new Map() };
  if (keys.length === 0) return holders;
  const rows = await tx<(Holder & { projectId: number; clientSessionId: string })[]>`
    select distinct a.project_id as "projectId", a.client_session_id as "clientSessionId", a.client, s.id, s.month
    from json_to_recordset(${toJsonText(keys)}::text::json) as r (p int, c text)
    join session_aliases a on a.project_id = r.p and a.client_session_id = r.c
    join sessions s on s.id = a.session_id`;
  for (const { projectId, clientSessionId, ...holder } of rows) {
    holders.sessions.push({ id: holder.id, month: holder.month });
    const name = holderName(projectId, clientSessionId);
    holders.byId.set(name, [...(holders.byId.get(name) ?? []), holder]);
  }
  return holders;
}

/** Records the claims of the batch's new items, once their rows are written; adopts where two sessions are one. */
export async function settleClaims(
  recorder: Recorder,
  plans: readonly SessionPlan[],
  holders: Holders,
  touched: Map<number, TouchedSession>,
): Promise<void> {
  for (const plan of plans) {
    for (const claim of plan.claims) await settleClaim(recorder, plan, claim, holders, touched);
  }
}

async function settleClaim(
  recorder: Recorder,
  plan: SessionPlan,
  claim: AliasClaim,
  holders: Holders,
  touched: Map<number, TouchedSession>,
): Promise<void> {
  const { session } = plan;
  const client = clientName(claim.client ?? plan.session.fold.client);
  const name = holderName(claim.projectId, claim.clientSessionId);
  const held = holders.byId.get(name) ?? [];
  const holder = held.find((other) => other.client === client || other.client === '' || client === '');
  if (!holder) {
    await insertAlias(recorder.tx, claim, client, session.id);
    held.push({ id: session.id, month: session.month, client });
    holders.byId.set(name, held);
    return;
  }
  if (holder.id === session.id) return;
  const roles = await readRoles(recorder.tx, [session.id, holder.id]);
  const isWatched = (id: number) => ((roles.get(id) ?? 0) & ~WATCHING) === 0;
  if (!isWatched(session.id) && isWatched(holder.id)) {
    const { position } = claim.row.record;
    await adoptSession(recorder, { adopter: session.id, adopted: holder.id, claimedAt: position }, touched);
    retarget(holders, holder.id, session);
  } else if (isWatched(session.id) && !isWatched(holder.id)) {
    const position = await findClaim(recorder.tx, holder, claim.clientSessionId);
    await adoptSession(recorder, { adopter: holder.id, adopted: session.id, claimedAt: position }, touched);
    retarget(holders, session.id, holder);
  }
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
  // Another process named it in this very moment: the next try sees who, and locks that session too.
  if (rows.length === 0)
    throw new BatchOutdated(`the client session ${clientSessionId} was claimed meanwhile`);
}

/** Bits of the sources of sessions that are neither deleted nor adopted. */
async function readRoles(tx: postgres.TransactionSql, ids: number[]): Promise<Map<number, number>> {
  const rows = await tx<{ id: number; sources: number; gone: boolean }[]>`
    select id, sources, (deleted_at is not null or adopted_by is not null) as gone
    from sessions where id in ${tx(ids)}`;
  // One that is gone takes part in nothing: as if it were of both kinds.
  const hasGone = rows.some(({ gone }) => gone);
  return new Map(rows.map(({ id, sources }) => [id, hasGone ? 0 : sources]));
}

/** Where a session claimed a client id; the newest claim, or 0 where none is found. */
async function findClaim(
  tx: postgres.TransactionSql,
  { id, month }: KnownSession,
  clientSessionId: string,
): Promise<number> {
  const [row] = await tx<{ position: number }[]>`
    select position from reports
    where month = ${month} and session_id = ${id} and item->>'clientSessionId' = ${clientSessionId}
    order by position desc limit 1`;
  return row?.position ?? 0;
}

function retarget(holders: Holders, from: number, to: KnownSession): void {
  for (const held of holders.byId.values()) {
    for (const holder of held) {
      if (holder.id === from) Object.assign(holder, { id: to.id, month: to.month });
    }
  }
}

function clientName(client: string | null): string {
  // Through bytes and back: cutting may have halved a character.
  return Buffer.from((client ?? '').slice(0, MAX_CLIENT_LENGTH)).toString();
}

function holderName(projectId: number, clientSessionId: string): string {
  return `${projectId} ${clientSessionId}`;
}
