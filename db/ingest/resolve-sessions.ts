/**
 * Which session rows a batch is about. Sessions are made by the first item that names them.
 *
 * Making one takes an advisory lock per project, before any session row is locked: two processes that see the
 * same new session at once take turns, and neither can hold what the other waits for.
 */
import type postgres from 'postgres';
import { emptySessionFold } from '../../core/accounting/fold';
import { sessionId } from '../../core/identity/session-id';
import type { Arrival } from './arrivals';
import { timeOf } from './clock';
import { toJsonText } from './json-text';
import { type KnownSession, nameOf, namesOf } from './known-names';
import { monthOf } from './month';

/** Advisory lock class of making sessions; the object is the project. */
const CREATION_LOCK_CLASS = 0x62616d;

/** First arrival of each session that has no row that we know of. */
export async function findUnknown(sql: postgres.Sql, arrivals: readonly Arrival[]): Promise<Arrival[]> {
  const { sessions } = namesOf(sql);
  const unknown = firstOfEach(arrivals.filter(({ sessionName }) => !sessions.has(sessionName)));
  if (unknown.length === 0) return [];
  await learnSessions(sql, sessions, unknown);
  return unknown.filter(({ sessionName }) => !sessions.has(sessionName));
}

/** Month of a session that this item opens. */
export function openingMonth(arrival: Arrival, now: number): number {
  return monthOf(openingTime(arrival), now);
}

/**
 * Makes the rows of sessions that are still unknown, in the batch's transaction. What it returns is to be
 * remembered after the commit.
 */
export async function createSessions(
  tx: postgres.TransactionSql,
  unknown: readonly Arrival[],
  now: number,
): Promise<Map<string, KnownSession>> {
  if (unknown.length === 0) return new Map();
  const projects = [...new Set(unknown.map(({ stream }) => stream.projectId))].sort((a, b) => a - b);
  for (const project of projects) {
    await tx`select pg_advisory_xact_lock(${CREATION_LOCK_CLASS}::int, ${project}::int)`;
  }
  const made = new Map<string, KnownSession>();
  await learnSessions(tx, made, unknown);
  const { chains: _none, ...fold } = emptySessionFold();
  const rows = unknown
    .filter(({ sessionName }) => !made.has(sessionName))
    .map((arrival) => ({
      public_id: sessionId(arrival.stream.project, arrival.item.session),
      month: openingMonth(arrival, now),
      project_id: arrival.stream.projectId,
      key: arrival.item.session,
      runner_id: arrival.stream.runnerId,
      fold,
      started_at: new Date(openingTime(arrival)).toISOString(),
    }));
  if (rows.length > 0) {
    await tx`
      insert into sessions (public_id, month, project_id, key, runner_id, host, fold, owner, started_at)
      select r.public_id, r.month, r.project_id, r.key, r.runner_id, runners.host, r.fold, 3, r.started_at
      from json_to_recordset(${toJsonText(rows)}::text::json) as r (
        public_id uuid, month smallint, project_id int, key text, runner_id int, fold json,
        started_at timestamptz
      )
      join runners on runners.id = r.runner_id`;
    await learnSessions(tx, made, unknown);
  }
  return made;
}

async function learnSessions(
  sql: postgres.Sql | postgres.TransactionSql,
  into: Map<string, KnownSession>,
  arrivals: readonly Arrival[],
): Promise<void> {
  const keys = arrivals.map(({ stream, item }) => ({ p: stream.projectId, k: item.session }));
  const rows = await sql<{ id: number; month: number; projectId: number; key: string }[]>`
    select s.id, s.month, s.project_id as "projectId", s.key
    from json_to_recordset(${toJsonText(keys)}::text::json) as r (p int, k text)
    join sessions s on s.project_id = r.p and s.key = r.k`;
  for (const { id, month, ...name } of rows) into.set(nameOf(name), { id, month });
}

function firstOfEach(arrivals: readonly Arrival[]): Arrival[] {
  const first = new Map<string, Arrival>();
  for (const arrival of arrivals) {
    if (!first.has(arrival.sessionName)) first.set(arrival.sessionName, arrival);
  }
  return [...first.values()];
}

function openingTime({ item, receivedAt, clock }: Arrival): number {
  const backfill = item.type === 'session_start' && item.backfill === true;
  return timeOf({ runnerTime: item.at, serverTime: receivedAt, clock }, backfill).at;
}
