/**
 * What a project no longer keeps: too old, beyond the newest of its session, or beyond the room it gives. Also
 * uploads that nobody ended, and bytes of transcripts that were given up.
 */
import type postgres from 'postgres';
import type { OwnTranscriptSettings } from '../../core/api/transcript-settings';
import type { TouchedSession } from '../ingest/types';
import { projectTranscripts } from '../queries/settings/project-settings';
import { transact } from '../transact';
import { deleteTranscript } from './delete-transcript';
import { failUpload } from './fail-upload';
import { lockProject, type TranscriptStore } from './transcript-store';

/** An upload that gave no sign of life for so long has no runner any more. */
const UPLOAD_DAYS = 7;
/** Deleted at one look at most for each reason: the next look finds the others. */
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

/** Each in a transaction of its own; what it yields is done. */
export async function* applyRetention(sql: postgres.Sql, store: TranscriptStore): AsyncGenerator<Expired> {
  // What was given up is no reason to delete what was not.
  await removeLeft(sql, store);
  const projects = await sql<{ id: number; settings: unknown }[]>`
    select id, settings from projects where settings ? 'transcripts' order by id`;
  for (const { id, settings } of projects) {
    yield* expire(sql, id, projectTranscripts(settings).own);
  }
  yield* endUploads(sql, store);
}

async function* expire(
  sql: postgres.Sql,
  projectId: number,
  { keepDays, keepPerSession, keepStoredBytes }: OwnTranscriptSettings,
): AsyncGenerator<Expired> {
  if (keepDays !== null) {
    // By whichever clock says older: a runner's that is ahead keeps nothing longer.
    const due = await sql<Due[]>`
      select id, public_id as "publicId" from transcripts
      where project_id = ${projectId} and state = 'stored'
        and least(at, verified_at) < now() - make_interval(days => ${keepDays}::int)
      order by at, id limit ${AT_ONCE}`;
    yield* remove(sql, due, `kept for ${keepDays} ${keepDays === 1 ? 'day' : 'days'} (keepDays)`);
  }
  if (keepPerSession !== null) {
    const due = await sql<Due[]>`
      select id, "publicId" from (
        select t.id, t.public_id as "publicId", t.at,
          row_number() over (partition by coalesce(s.adopted_by, s.id), case when s.id is null then t.session end
            order by t.at desc, t.id desc) as place
        from transcripts t left join sessions s on s.public_id = t.session
        where t.project_id = ${projectId} and t.state = 'stored'
      ) x
      where place > ${keepPerSession} order by at, id limit ${AT_ONCE}`;
    yield* remove(sql, due, `the last ${keepPerSession} of a session are kept (keepPerSession)`);
  }
  if (keepStoredBytes === null) return;
  for (let n = 0; n < AT_ONCE; n += 1) {
    if ((await measureStored(sql, projectId)) <= keepStoredBytes) return;
    const due = await sql<Due[]>`
      select id, "publicId" from (
        select id, public_id as "publicId", at, row_number() over (order by at desc, id desc) as place
        from transcripts where project_id = ${projectId} and state = 'stored'
      ) x
      where place > 1 order by at, id limit 1`;
    // The newest stays, be it larger than the room: a limit on what is taken in says what is too large.
    if (due.length === 0) return;
    yield* remove(sql, due, `the newest that fit into ${keepStoredBytes} bytes are kept (keepStoredBytes)`);
  }
}

/** Bytes at rest of what is stored. What is on its way is no reason to delete: it may never be whole. */
async function measureStored(sql: postgres.Sql, projectId: number): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(sum(c.stored_bytes), 0)::bigint as bytes from transcript_chunks c
    where c.project_id = ${projectId} and exists (
      select from transcript_parts p join transcripts t on t.id = p.transcript_id
      where p.project_id = c.project_id and p.sha256 = c.sha256 and t.state = 'stored')`;
  return row?.bytes ?? 0;
}

async function* remove(sql: postgres.Sql, due: readonly Due[], why: string): AsyncGenerator<Expired> {
  const reason = `retention: ${why}`;
  for (const { publicId } of due) {
    const deletion = { reason, actor: 'retention', action: 'transcript_expired' } as const;
    const result = await deleteTranscript(sql, publicId, deletion);
    if (result.type === 'deleted') yield { transcript: publicId, reason, touched: result.touched };
  }
}

async function* endUploads(sql: postgres.Sql, store: TranscriptStore): AsyncGenerator<Expired> {
  const due = await sql<Due[]>`
    select id, public_id as "publicId" from transcripts
    where state = 'uploading' and changed_at < now() - make_interval(days => ${UPLOAD_DAYS}::int)
    order by changed_at limit ${AT_ONCE}`;
  const reason = `the upload was not ended within ${UPLOAD_DAYS} days`;
  for (const { id, publicId } of due) {
    const touched = await failUpload(sql, store, id, reason);
    yield { transcript: publicId, reason, touched };
  }
}

/** A runner may give up in a notice what was on its way: its row says so then, and its chunks are left. */
async function removeLeft(sql: postgres.Sql, store: TranscriptStore): Promise<void> {
  const left = await sql<{ id: number; projectId: number }[]>`
    select t.id, t.project_id as "projectId" from transcripts t join transcript_files f on f.transcript_id = t.id
    where t.state not in ('uploading', 'stored') order by t.id limit ${AT_ONCE}`;
  for (const { id, projectId } of left) {
    await transact(sql, async (tx) => {
      await lockProject(tx, projectId);
      const [row] = await tx<{ state: string }[]>`select state from transcripts where id = ${id} for update`;
      if (row && row.state !== 'uploading' && row.state !== 'stored') await store.remove(tx, id);
    });
  }
}
