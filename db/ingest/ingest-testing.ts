/** For tests of ingest: streams, deliveries, and the stored rows without values that depend on arrival. */
import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import type { Item } from '../../core/protocol/items';
import type { ProjectSource, SourceName } from '../../core/protocol/messages';
import { openStream } from './open-stream';
import { recordDeliveries } from './record-deliveries';
import type { ItemOutcome, OpenStream, Recorded } from './types';

/** Noon of the day on which items and deliveries of the tests happen. */
export const NOON = Date.UTC(2026, 10, 21, 12);

/** Server time after every item of the tests, so that no clock counts as wrong. */
export const EVENING = NOON + 6 * 3_600_000;

/** An item without its seq. */
export type Words = Item extends infer T ? (T extends Item ? Omit<T, 'seq'> : never) : never;

export function numbered(words: readonly Words[], first = 1): Item[] {
  return words.map((word, index) => ({ ...word, seq: first + index }) as Item);
}

export function openTestStream(
  sql: postgres.Sql,
  { project = 'shop', runner = 'desk', source = 'sdk', stream = randomUUID(), ...more } = {} as {
    project?: string;
    runner?: string;
    source?: SourceName;
    stream?: string;
    client?: string;
    projectSource?: ProjectSource;
  },
): Promise<OpenStream> {
  return openStream(sql, { project, runner: { name: runner }, stream, source, ...more });
}

/** Deliver items of one stream. The default server time is one minute after the last item. */
export async function deliver(
  sql: postgres.Sql,
  stream: OpenStream,
  items: readonly Item[],
  receivedAt = Math.max(NOON, ...items.map(({ at }) => at)) + 60_000,
): Promise<Recorded> {
  return recordDeliveries(sql, [{ stream, items, receivedAt, clockAgrees: true }], { now: receivedAt });
}

/** Deliver the items as one ordered stream of a new project. @returns the rows */
export async function orderly(sql: postgres.Sql, items: readonly Item[]): Promise<Snapshot> {
  const project = randomUUID();
  const stream = await openTestStream(sql, { project });
  for (let i = 0; i < items.length; i += 5_000)
    await deliver(sql, stream, items.slice(i, i + 5_000), EVENING);
  return readSnapshot(sql, project);
}

/** Columns of a project's rows `x` or of their sessions `s`, in the order of positions. */
export function rowsOf<R extends object>(
  sql: postgres.Sql,
  project: string,
  table: 'turns' | 'events' | 'checkpoints',
  columns: string,
): Promise<R[]> {
  return sql<R[]>`
    select ${sql.unsafe(columns)} from ${sql(table)} x join sessions s on s.id = x.session_id
    join projects p on p.id = s.project_id where p.name = ${project} order by x.position`.then((rows) => [
    ...rows,
  ]);
}

export function outcomesOf({ outcomes }: Recorded): ItemOutcome['outcome'][] {
  return outcomes.flat().map(({ outcome }) => outcome);
}

/**
 * Make the next batches that contain a turn fail.
 *
 * @param code SQLSTATE of the fault
 * @returns a function that removes the fault
 */
export async function failBatches(
  sql: postgres.Sql,
  code: string,
  times: number,
): Promise<() => Promise<unknown>> {
  // A sequence is not reset by a rollback.
  await sql.unsafe(`
    create sequence failures;
    create function fail() returns trigger language plpgsql as $$
      begin
        if nextval('failures') <= ${times} then raise exception 'fault' using errcode = '${code}'; end if;
        return new;
      end $$;
    create trigger fail before insert on turns for each row execute function fail()`);
  return () => sql.unsafe('drop function fail cascade; drop sequence failures');
}

type Row = Record<string, unknown>;

export interface Snapshot {
  sessions: Row[];
  chains: Row[];
  contexts: Row[];
  turns: Row[];
  reports: Row[];
  events: Row[];
  pyramid: Row[];
  /** The newest composition of each chain. */
  compositions: Row[];
}

/**
 * The stored rows in order, without surrogate ids, positions, revisions and server times. Equivalent orders of arrival
 * give equal results.
 */
export async function readSnapshot(sql: postgres.Sql, project = 'shop'): Promise<Snapshot> {
  const ours = sql`s.project_id = (select id from projects where name = ${project})`;
  const sessions = await sql<Row[]>`
    select key, deleted_at is not null as deleted,
      (select a.key from sessions a where a.id = s.adopted_by) as adopted_by, title, folder, branch, model, client,
      client_version, backfill, fold, sources, recompute_from, lens,
      limit_tokens, limit_source, used, pressure, state, minutes_left, silent_after_ms, turn_count, started_at, last_turn_at, ended_at
    from sessions s where ${ours} order by key`;
  const chains = await sql<Row[]>`
    select s.key as session, c.key, c.fold from chains c join sessions s on s.id = c.session_id where ${ours} order by 1, 2`;
  const contexts = await sql<Row[]>`
    select s.key as session, n.key as chain, to_jsonb(c) - '{session_id,chain}'::text[] as columns
    from contexts c join sessions s on s.id = c.session_id
    join chains n on n.session_id = c.session_id and n.chain = c.chain
    where ${ours} order by 1, 2, c.index`;
  const turns = await sql<Row[]>`
    select s.key as session, n.key as chain, models.name as model,
      to_jsonb(t) - '{session_id,chain,stream_id,model_id,position,server_time,hash,seq,call_key}'::text[] as columns,
      l.limit_tokens as refuted, l.source as "refutedBy"
    from turns t join sessions s on s.id = t.session_id left join models on models.id = t.model_id
    left join refuted_limits l on l.session_id = t.session_id and l.call_key = t.call_key
    left join chains n on n.session_id = t.session_id and n.chain = t.chain
    where ${ours} order by 1, t.position`;
  const reports = await sql<Row[]>`
    select s.key as session, r.runner_time, r.item from reports r join sessions s on s.id = r.session_id
    where ${ours} order by 1, r.position`;
  const events = await sql<Row[]>`
    select s.key as session, n.key as chain, e.kind, e.context, e.turn, e.at, e.detail
    from events e join sessions s on s.id = e.session_id
    left join chains n on n.session_id = e.session_id and n.chain = e.chain
    where ${ours} and not retracted order by 1, e.position, e.rank`;
  const pyramid = await sql<Row[]>`
    select s.key as session, to_jsonb(p) - '{session_id}'::text[] as columns
    from pyramid p join sessions s on s.id = p.session_id where ${ours} order by 1, p.level, p.bucket`;
  const compositions = await sql<Row[]>`
    select distinct on (s.key, n.key) s.key as session, n.key as chain, t.number, t.context, x.composition
    from compositions x join sessions s on s.id = x.session_id
    join turns t on t.session_id = x.session_id and t.call_key = x.call_key
    join chains n on n.session_id = t.session_id and n.chain = t.chain
    where ${ours} order by s.key, n.key, t.position desc`;
  const plain = { sessions, chains, contexts, turns, reports, events, pyramid, compositions };
  return JSON.parse(JSON.stringify(plain), (name, value) =>
    ['position', 'since', 'by'].includes(name) ? undefined : value,
  );
}
