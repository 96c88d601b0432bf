/**
 * Delete what a project's retention no longer keeps, end abandoned uploads, and remove bytes of dropped
 * transcripts.
 */
import type postgres from 'postgres';
import type { RetentionParameters, RetentionPreview } from '../../core/api/transcript-settings';
import { KEPT_STATES } from '../../core/transcript/transcript-states';
import { judgeFault } from '../judge-fault';
import { projectTranscripts } from '../queries/project-settings';
import { listKept } from '../queries/transcripts/list-kept';
import { changeTranscript } from './change-transcript';
import { removeFiles } from './chunk-store';
import { deleteTranscript, failUpload } from './end-transcript';

const UPLOAD_DAYS = 7;
const KEPT = [...KEPT_STATES];
const WITH_BYTES: string[] = ['uploading', ...KEPT];
/** Maximum number of deletions per round and project. */
const AT_ONCE = 1_000;

interface Expired {
  transcript: string;
  reason: string;
}

interface Due {
  id: number;
  publicId: string;
  at: Date;
  bytes: number;
  why: 'age' | 'session' | 'room';
}

type Retention = { [Name in keyof RetentionParameters]: number | null | undefined };

/** Transcripts that retention deletes now, oldest first: by age, then by number per session, then by size. */
async function findDue(
  sql: postgres.Sql,
  projectId: number,
  { keepDays = null, keepPerSession = null, keepStoredBytes = null }: Retention,
): Promise<Due[]> {
  // The age counts from the earlier of two clocks, so that a runner's fast clock does not prolong retention. The size
  // includes only chunks of kept transcripts, and the newest transcript always stays.
  return await sql<Due[]>`
    with kept as materialized (
      select t.id, t.public_id as "publicId", t.at, coalesce(t.bytes, 0) as bytes,
        coalesce(least(t.at, t.created_at) < now() - make_interval(days => ${keepDays}::int), false) as is_old,
        coalesce(s.adopted_by, s.id) as session_id, case when s.id is null then t.session end as unmet
      from transcripts t left join sessions s on s.public_id = t.session
      where t.project_id = ${projectId} and t.state = any(${KEPT})
    ), placed as materialized (
      select id, at, coalesce(place > ${keepPerSession}::int, false) as is_beyond from (
        select id, at, row_number() over (partition by session_id, unmet order by at desc, id desc) as place
        from kept where not is_old
      ) x
    ), ranked as materialized (
      select id, row_number() over (order by at desc, id desc) as rank from placed where not is_beyond
    ), sizes as (
      select rank, sum(stored_bytes) as bytes from (
        select min(r.rank) as rank, c.stored_bytes
        from ranked r
        join transcript_parts p on p.transcript_id = r.id
        join transcript_chunks c on c.project_id = p.project_id and c.sha256 = p.sha256
        where ${keepStoredBytes}::bigint is not null
        group by c.sha256, c.stored_bytes
      ) x group by rank
    ), room as (
      select r.id, r.rank > 1 and sum(coalesce(z.bytes, 0)) over (order by r.rank) > ${keepStoredBytes}::bigint as is_over
      from ranked r left join sizes z using (rank)
    )
    select * from (
      select k.id, "publicId", k.at, k.bytes,
        case when is_old then 'age' when is_beyond then 'session' when is_over then 'room' end as why
      from kept k left join placed using (id) left join room using (id)
    ) x
    where why is not null order by at, id`;
}

/** Null: no such project. */
export async function previewRetention(
  sql: postgres.Sql,
  name: string,
  retention: RetentionParameters,
): Promise<RetentionPreview | null> {
  const [kept] = await listKept(sql, name);
  const [project] = await sql<{ id: number }[]>`select id from projects where name = ${name}`;
  if (!kept || !project) return null;
  const due = await findDue(sql, project.id, retention);
  const count = (reason: Due['why']) => due.filter(({ why }) => why === reason).length;
  return {
    kept,
    due: {
      transcripts: due.length,
      bytes: due.reduce((sum, { bytes }) => sum + bytes, 0),
      oldestAt: due[0]?.at.toISOString() ?? null,
      newestAt: due.at(-1)?.at.toISOString() ?? null,
      byAge: count('age'),
      bySession: count('session'),
      byRoom: count('room'),
    },
  };
}

type OnFailure = (error: unknown, transcript: string) => void;

/**
 * One transaction per deletion; yields each deleted transcript and failed upload.
 * @param onFailure called for a transcript that could not be deleted, which the next round retries
 * @throws if the database is unavailable
 */
export async function* applyRetention(
  sql: postgres.Sql,
  onFailure: OnFailure = () => undefined,
): AsyncGenerator<Expired> {
  await removeLeft(sql, onFailure);
  const projects = await sql<{ id: number; settings: unknown }[]>`
    select id, settings from projects where settings ? 'transcripts' order by id`;
  for (const { id, settings } of projects) {
    const { own } = projectTranscripts(settings);
    const { keepDays, keepPerSession, keepStoredBytes } = own;
    const reasons: Record<Due['why'], string> = {
      age: `retention: kept for ${keepDays} ${keepDays === 1 ? 'day' : 'days'} (keepDays)`,
      session: `retention: the last ${keepPerSession} of a session are kept (keepPerSession)`,
      room: `retention: the newest that fit into ${keepStoredBytes} bytes are kept (keepStoredBytes)`,
    };
    if (keepDays === null && keepPerSession === null && keepStoredBytes === null) continue;
    for (const { publicId, why } of (await findDue(sql, id, own)).slice(0, AT_ONCE)) {
      const reason = reasons[why];
      const deletion = { reason, actor: 'retention', action: 'transcript_expired' } as const;
      const work = () => deleteTranscript(sql, publicId, deletion);
      if (await attempt(publicId, onFailure, work)) yield { transcript: publicId, reason };
    }
  }
  yield* endUploads(sql, onFailure);
}

/** Null: the deletion failed. Further deletions continue. */
async function attempt<T>(
  transcript: string,
  onFailure: OnFailure,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (judgeFault(error) === 'unavailable') throw error;
    onFailure(error, transcript);
    return null;
  }
}

async function* endUploads(sql: postgres.Sql, onFailure: OnFailure): AsyncGenerator<Expired> {
  const due = await sql<Pick<Due, 'id' | 'publicId'>[]>`
    select id, public_id as "publicId" from transcripts
    where state = 'uploading' and changed_at < now() - make_interval(days => ${UPLOAD_DAYS}::int)
    order by changed_at limit ${AT_ONCE}`;
  const reason = `the upload was not completed within ${UPLOAD_DAYS} days`;
  for (const { id, publicId } of due) {
    const work = () => failUpload(sql, id, reason, true);
    if ((await attempt(publicId, onFailure, work)) !== null) yield { transcript: publicId, reason };
  }
}

/** A notice may end an upload, but its chunks remain. */
async function removeLeft(sql: postgres.Sql, onFailure: OnFailure): Promise<void> {
  const rows = await sql<Pick<Due, 'id' | 'publicId'>[]>`
    select t.id, t.public_id as "publicId"
    from transcripts t join transcript_files f on f.transcript_id = t.id
    where t.state <> all(${WITH_BYTES}) order by t.id limit ${AT_ONCE}`;
  for (const { id, publicId } of rows) {
    await attempt(publicId, onFailure, () =>
      changeTranscript(sql, id, async (tx, { state }) => {
        if (!WITH_BYTES.includes(state)) await removeFiles(tx, [id]);
        return false;
      }),
    );
  }
}
