/** Changes of a transcript under its locks. Lock order everywhere: the project, its session, the transcript's row. */
import type postgres from 'postgres';
import type { TranscriptState } from '../../core/api/transcripts';
import type { TouchedSession } from '../ingest/types';
import { notifySessions } from '../notify-sessions';
import { transact } from '../transact';

/** Take the lock for adding and removing a project's files, before the lock of any session. */
export async function lockProject(tx: postgres.TransactionSql, projectId: number): Promise<void> {
  await tx`select from projects where id = ${projectId} for no key update`;
}

export interface OwningSession extends TouchedSession {
  isDeleted: boolean;
  projectId: number;
}

/** For an adopted session, locks its adopter. @returns null while the session is unknown */
export async function lockSession(
  tx: postgres.TransactionSql,
  session: string,
): Promise<OwningSession | null> {
  const [row] = await tx<OwningSession[]>`
    select s.id, s.public_id as "publicId", s.project_id as "projectId", s.version, s.deleted_at is not null as "isDeleted" from sessions s
    where s.id = (select coalesce(k.adopted_by, k.id) from sessions k where k.public_id = ${session})
    for no key update`;
  return row ?? null;
}

/** Raise the version, so that pages refresh. */
export async function touchSession(
  tx: postgres.TransactionSql,
  session: OwningSession | null,
): Promise<void> {
  if (!session || session.isDeleted) return;
  const { id, publicId, version } = session;
  await tx`update sessions set version = version + 1, changed_at = clock_timestamp() where id = ${id}`;
  await notifySessions(tx, [{ id, publicId, version: version + 1 }]);
}

interface LockedTranscript {
  id: number;
  state: TranscriptState;
  session: OwningSession | null;
}

/**
 * Change a transcript under its locks.
 * @param change returns whether pages show the change
 * @returns the result of `change`; false for an unknown transcript
 */
export function changeTranscript(
  sql: postgres.Sql,
  key: number | string,
  change: (tx: postgres.TransactionSql, transcript: LockedTranscript) => Promise<boolean>,
): Promise<boolean> {
  return transact(sql, async (tx) => {
    const [row] = await tx<{ id: number; projectId: number; owner: string }[]>`
      select id, project_id as "projectId", session as owner from transcripts
      where ${typeof key === 'number' ? tx`id = ${key}` : tx`public_id = ${key}`}`;
    if (!row) return false;
    await lockProject(tx, row.projectId);
    const session = await lockSession(tx, row.owner);
    const [locked] = await tx<{ id: number; state: TranscriptState }[]>`
      select id, state from transcripts where id = ${row.id} for update`;
    if (!locked || !(await change(tx, { ...locked, session }))) return false;
    await touchSession(tx, session);
    return true;
  });
}
