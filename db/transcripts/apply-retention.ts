/**
 * Delete what a project's retention no longer keeps: too old, beyond the newest of its session, or beyond its storage.
 * Also ends abandoned uploads and removes the bytes of dropped transcripts.
 */
import type postgres from 'postgres';
import type { OwnTranscriptSettings } from '../../core/api/transcript-settings';
import { KEPT_STATES } from '../../core/transcript/transcript-states';
import type { TouchedSession } from '../ingest/types';
import { judgeFault } from '../judge-fault';
import { projectTranscripts } from '../queries/project-settings';
import { transact } from '../transact';
import { deleteTranscript } from './delete-transcript';
import { failUpload } from './fail-upload';
import { lockProject, type TranscriptStore } from './transcript-store';

/** An upload without progress for this long is abandoned. */
const UPLOAD_DAYS = 7;
const KEPT = [...KEPT_STATES];
/** States of rows that have bytes. */
const WITH_BYTES = ['uploading', ...KEPT];
/** Deletions per round and reason. */
const AT_ONCE = 1_000;

export interface Expired {
  /** `transcripts.public_id` */
  transcript: string;
  reason: string;
  touched: TouchedSession | null;
}

interface Due {
  id: number;
  publicId: string;
}

export interface RetentionOptions {
  /** Called when one cannot be deleted; the others are, and the next round retries it. */
  onFailure?(error: unknown, transcript: string): void;
}

interface Round extends RetentionOptions {
  sql: postgres.Sql;
  store: TranscriptStore;
  /** `transcripts.id` of those that could not be deleted in this round. */
  left: Set<number>;
}

/** One transaction per deletion; yields what is done. @throws when the database fails */
export async function* applyRetention(
  sql: postgres.Sql,
  store: TranscriptStore,
  options: RetentionOptions = {},
): AsyncGenerator<Expired> {
  const round: Round = { sql, store, left: new Set(), ...options };
  // Dropped transcripts must not count against the storage of the others.
  await removeLeft(round);
  const projects = await sql<{ id: number; settings: unknown }[]>`
    select id, settings from projects where settings ? 'transcripts' order by id`;
  for (const { id, settings } of projects) {
    yield* expire(round, id, projectTranscripts(settings).own);
  }
  yield* endUploads(round);
}

async function* expire(
  round: Round,
  projectId: number,
  { keepDays, keepPerSession, keepStoredBytes }: OwnTranscriptSettings,
): AsyncGenerator<Expired> {
  const { sql, left } = round;
  if (keepDays !== null) {
    // The older of both times: a runner's clock that is ahead must not prolong retention.
    const due = await sql<Due[]>`
      select id, public_id as "publicId" from transcripts
      where project_id = ${projectId} and state = any(${KEPT})
        and least(at, created_at) < now() - make_interval(days => ${keepDays}::int)
      order by at, id limit ${AT_ONCE}`;
    yield* remove(round, due, `kept for ${keepDays} ${keepDays === 1 ? 'day' : 'days'} (keepDays)`);
  }
  if (keepPerSession !== null) {
    const due = await sql<Due[]>`
      select id, "publicId" from (
        select t.id, t.public_id as "publicId", t.at,
          row_number() over (partition by coalesce(s.adopted_by, s.id), case when s.id is null then t.session end
            order by t.at desc, t.id desc) as place
        from transcripts t left join sessions s on s.public_id = t.session
        where t.project_id = ${projectId} and t.state = any(${KEPT})
      ) x
      where place > ${keepPerSession} order by at, id limit ${AT_ONCE}`;
    yield* remove(round, due, `the last ${keepPerSession} of a session are kept (keepPerSession)`);
  }
  if (keepStoredBytes === null) return;
  for (let n = 0; n < AT_ONCE; n += 1) {
    if ((await measureStored(sql, projectId)) <= keepStoredBytes) return;
    const due = await sql<Due[]>`
      select id, "publicId" from (
        select id, public_id as "publicId", at, row_number() over (order by at desc, id desc) as place
        from transcripts where project_id = ${projectId} and state = any(${KEPT})
      ) x
      where place > 1 and id <> all(${[...left]}::int[]) order by at, id limit 1`;
    // The newest is kept even beyond the limit: intake limits decide what is too large.
    if (due.length === 0) return;
    yield* remove(round, due, `the newest that fit into ${keepStoredBytes} bytes are kept (keepStoredBytes)`);
  }
}

/** Bytes at rest of stored transcripts, without uploads, which may never complete. */
async function measureStored(sql: postgres.Sql, projectId: number): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(sum(c.stored_bytes), 0)::bigint as bytes from transcript_chunks c
    where c.project_id = ${projectId} and exists (
      select from transcript_parts p join transcripts t on t.id = p.transcript_id
      where p.project_id = c.project_id and p.sha256 = c.sha256 and t.state = any(${KEPT}))`;
  return row?.bytes ?? 0;
}

async function* remove(round: Round, due: readonly Due[], why: string): AsyncGenerator<Expired> {
  const reason = `retention: ${why}`;
  for (const one of due) {
    const deletion = { reason, actor: 'retention', action: 'transcript_expired' } as const;
    const result = await attempt(round, one, () => deleteTranscript(round.sql, one.publicId, deletion));
    if (result?.type === 'deleted') yield { transcript: one.publicId, reason, touched: result.touched };
  }
}

/** Null: it failed, which does not stop the others. */
async function attempt<T>({ left, onFailure }: Round, one: Due, work: () => Promise<T>): Promise<T | null> {
  if (left.has(one.id)) return null;
  try {
    return await work();
  } catch (error) {
    if (judgeFault(error) === 'unavailable') throw error;
    left.add(one.id);
    onFailure?.(error, one.publicId);
    return null;
  }
}

async function* endUploads(round: Round): AsyncGenerator<Expired> {
  const { sql, store } = round;
  const due = await sql<Due[]>`
    select id, public_id as "publicId" from transcripts
    where state = 'uploading' and changed_at < now() - make_interval(days => ${UPLOAD_DAYS}::int)
    order by changed_at limit ${AT_ONCE}`;
  const reason = `the upload was not ended within ${UPLOAD_DAYS} days`;
  for (const one of due) {
    const ended = await attempt(round, one, async () => ({
      touched: await failUpload(sql, store, one.id, reason, { addsEvent: true }),
    }));
    if (ended) yield { transcript: one.publicId, reason, touched: ended.touched };
  }
}

/** A notice may end an upload: its row has the new state, and its chunks remain to be removed. */
async function removeLeft(round: Round): Promise<void> {
  const { sql, store } = round;
  const rows = await sql<(Due & { projectId: number })[]>`
    select t.id, t.public_id as "publicId", t.project_id as "projectId"
    from transcripts t join transcript_files f on f.transcript_id = t.id
    where t.state <> all(${WITH_BYTES}) order by t.id limit ${AT_ONCE}`;
  for (const one of rows) {
    await attempt(round, one, () =>
      transact(sql, async (tx) => {
        await lockProject(tx, one.projectId);
        const [row] = await tx<
          { state: string }[]
        >`select state from transcripts where id = ${one.id} for update`;
        if (row && !WITH_BYTES.includes(row.state)) await store.remove(tx, one.id);
      }),
    );
  }
}
