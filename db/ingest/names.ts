/**
 * Row ids of sessions by public id and of models by name, cached per connection pool. New names get rows.
 *
 * Public ids never change, and a deleted session keeps its row. A cached row id is outdated only after an adoption,
 * which the locked row shows.
 *
 * Creating sessions takes advisory locks by public id before any row lock. Two processes with the same new session
 * therefore take turns instead of deadlocking.
 */
import type postgres from 'postgres';
import { EMPTY_FOLD } from '../delete-session';
import { modelIds } from '../history/model-ids';
import { lockMonths, monthAt, monthStart, SESSIONS_PER_MONTH } from '../partitions';
import { projectTranscripts } from '../queries/project-settings';
import { sessions } from '../schema/sessions';
import { type Row, recordset, statement } from '../tables';
import { type Arrival, BatchOutdated, timeOf } from './types';

export interface KnownNames {
  sessions: Map<string, number>;
  models: Map<string, number>;
  /** Adopted sessions and the sessions that adopted them. */
  redirects: Map<number, number>;
}

const MAX_ENTRIES = 100_000;
const known = new WeakMap<postgres.Sql, KnownNames>();

export function namesOf(sql: postgres.Sql): KnownNames {
  const names = known.get(sql) ?? { sessions: new Map(), models: new Map(), redirects: new Map() };
  known.set(sql, names);
  for (const map of Object.values(names)) if (map.size > MAX_ENTRIES) map.clear();
  return names;
}

/** Follow adoptions to the session that receives the items of session `id`. */
export function followRedirects({ redirects }: KnownNames, id: number): number {
  const seen = new Set([id]);
  let target = id;
  for (let next = redirects.get(id); next !== undefined && !seen.has(next); next = redirects.get(next)) {
    seen.add(next);
    target = next;
  }
  return target;
}

/** Ids of the models in a batch. New models are committed at once, so that no other batch waits for them. */
export async function learnModels(
  sql: postgres.Sql,
  arrivals: readonly Arrival[],
): Promise<Map<string, number>> {
  const { models } = namesOf(sql);
  const missing = new Set<string>();
  for (const { callKey, item } of arrivals) {
    if (callKey !== null && item.model !== undefined && !models.has(item.model)) missing.add(item.model);
  }
  for (const [name, id] of await modelIds(sql, [...missing])) models.set(name, id);
  return models;
}

/** Class of the advisory locks for creating sessions. The first byte of the public id is the second key. */
const CREATION_LOCK_CLASS = 0x62616d;
const DAY_MS = 86_400_000;

/** The first arrival of each session without a known row. */
export async function findUnknown(sql: postgres.Sql, arrivals: readonly Arrival[]): Promise<Arrival[]> {
  const { sessions } = namesOf(sql);
  const first = new Map<string, Arrival>();
  for (const arrival of arrivals) {
    if (sessions.has(arrival.publicId) || first.has(arrival.publicId)) continue;
    first.set(arrival.publicId, arrival);
  }
  if (first.size === 0) return [];
  const unknown = [...first.values()];
  await learnSessions(sql, sessions, unknown);
  return unknown.filter(({ publicId }) => !sessions.has(publicId));
}

function openingTime(arrival: Arrival): number {
  const { item } = arrival;
  return timeOf(arrival, item.type === 'session_start' && item.backfill === true).at;
}

export function openingMonth(arrival: Arrival, now: number): number {
  return monthAt(openingTime(arrival), now);
}

/** Create the rows of unknown sessions in the batch's transaction. The caller caches the ids after the commit. */
export async function createSessions(
  tx: postgres.TransactionSql,
  unknown: readonly Arrival[],
  now: number,
): Promise<Map<string, number>> {
  const made = new Map<string, number>();
  if (unknown.length === 0) return made;
  await lockCreation(
    tx,
    unknown.map(({ publicId }) => publicId),
  );
  await learnSessions(tx, made, unknown);
  const projects = [...new Set(unknown.map(({ stream }) => stream.projectId))];
  const isRetired = await readRetention(tx, projects, now);
  const rows = unknown
    .filter(({ publicId }) => !made.has(publicId))
    .map((arrival) => ({
      publicId: arrival.publicId,
      id: openingMonth(arrival, now) * SESSIONS_PER_MONTH,
      projectId: arrival.stream.projectId,
      projectRank: arrival.stream.projectRank,
      key: arrival.session,
      runnerId: arrival.stream.runnerId,
      startedAt: openingTime(arrival),
      retired: isRetired(arrival.stream.projectId, openingMonth(arrival, now)),
    }));
  if (rows.length === 0) return made;
  if (!(await lockMonths(tx, new Set(rows.map(({ id }) => id / SESSIONS_PER_MONTH))))) {
    throw new BatchOutdated('the partitions of a new session were dropped');
  }
  for (const { id, publicId } of await INSERT_SESSIONS(tx, rows)) made.set(publicId, id);
  return made;
}

const NEW = [
  'id',
  'publicId',
  'projectId',
  'projectRank',
  'key',
  'runnerId',
  'startedAt',
  'retired',
] as const;
/** The given id is the first id of the month. */
const INSERT_SESSIONS = statement<Pick<Row<typeof sessions>, (typeof NEW)[number]>, NamedSession>(`
  insert into sessions (id, public_id, project_id, project_rank, key, runner_id, host, fold, started_at, deleted_at, retired)
  select r.id + nextval('session_counter'), r."publicId", r."projectId",
    r."projectRank", r.key, r."runnerId", runners.host, '${EMPTY_FOLD}', to_timestamp(r."startedAt" / 1000.0),
    case when r.retired then now() end, r.retired
  from ${recordset(sessions, NEW)} join runners on runners.id = r."runnerId"
  returning id, public_id as "publicId"`);

/**
 * Whether a month is older than the retention of its project. New sessions of such a month become tombstones, which
 * refuse items.
 */
async function readRetention(
  tx: postgres.TransactionSql,
  projects: readonly number[],
  now: number,
): Promise<(project: number, month: number) => boolean> {
  const rows = await tx<{ id: number; settings: unknown }[]>`
    select id, settings from projects where id = any(${`{${projects}}`}::text::int[])`;
  const days = new Map(rows.map(({ id, settings }) => [id, projectTranscripts(settings).own.keepTurnDays]));
  return (project, month) => {
    const kept = days.get(project) ?? null;
    return kept !== null && monthStart(month + 1) + kept * DAY_MS <= now;
  };
}

/** Wait until no other transaction is creating a session with one of these public ids. */
export async function lockCreation(tx: postgres.TransactionSql, publicIds: readonly string[]): Promise<void> {
  const locks = [...new Set(publicIds.map((id) => Number.parseInt(id.slice(0, 2), 16)))];
  await tx`
    select pg_advisory_xact_lock(${CREATION_LOCK_CLASS}::int, k)
    from unnest(${`{${locks.sort((a, b) => a - b)}}`}::text::int[]) k`;
}

interface NamedSession {
  id: number;
  publicId: string;
}

async function learnSessions(
  sql: postgres.Sql | postgres.TransactionSql,
  into: Map<string, number>,
  arrivals: readonly Arrival[],
): Promise<void> {
  const ids = arrivals.map(({ publicId }) => publicId);
  const rows = await sql<NamedSession[]>`
    select id, public_id as "publicId" from sessions where public_id = any(${`{${ids}}`}::text::uuid[])`;
  for (const { id, publicId } of rows) into.set(publicId, id);
}
