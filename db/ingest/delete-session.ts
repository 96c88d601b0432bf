import type postgres from 'postgres';
import { emptySessionFold } from '../../core/accounting/fold';
import { transact } from '../transact';
import { deleteTranscriptsOf, prepareDeletionOf } from '../transcripts/delete-transcript';
import { toJsonText } from './json-text';
import { notifySessions } from './notify';
import type { TouchedSession } from './types';

/** Tables of the session's month. */
const OWNED = [
  'turns',
  'reports',
  'events',
  'contexts',
  'chains',
  'checkpoints',
  'compositions',
  'pyramid',
] as const;

/**
 * Deletes a session: everything it owns goes, and its row stays as a tombstone that refuses whatever is sent for
 * it again (`session_deleted`). Its project, key and id stay; title and folder do not. Of its transcripts tombstones
 * without names and places stay.
 *
 * @returns null when there is no such session, or it was deleted or adopted before
 */
export async function deleteSession(sql: postgres.Sql, publicId: string): Promise<TouchedSession | null> {
  await prepareDeletionOf(sql, publicId);
  return transact(sql, async (tx) => {
    await tx`
      select from projects
      where id = (select project_id from sessions where public_id = ${publicId}) for no key update`;
    const [session] = await tx<{ id: number; month: number; version: number }[]>`
      select id, month, version from sessions
      where public_id = ${publicId} and deleted_at is null and adopted_by is null for update`;
    if (!session) return null;
    const { id, month, version } = session;
    for (const table of OWNED) {
      await tx`delete from ${tx(table)} where month = ${month} and session_id = ${id}`;
    }
    await deleteTranscriptsOf(tx, id);
    await tx`delete from notes where session_id = ${id}`;
    await tx`delete from session_aliases where session_id = ${id}`;
    await tx`delete from session_streams where session_id = ${id}`;
    const { chains: _none, ...fold } = emptySessionFold();
    await tx`
      update sessions set deleted_at = clock_timestamp(), title = null, host = null, folder = null, branch = null,
        model = null, client = null, client_version = null, fold = ${toJsonText(fold)}::text::json,
        last_position = 0, chain_count = 1, items_since_checkpoint = 0, recompute_from = null, used = null,
        pressure = null, state = 'unknown', minutes_left = null, silent_after_ms = null, turn_count = 0, composition_version = null,
        notes_version = null, version = version + 1,
        changed_at = clock_timestamp()
      where id = ${id}`;
    await tx`insert into history_changes (session_id, position) values (${id}, 0)`;
    const touched = { id, publicId, version: version + 1 };
    await notifySessions(tx, [touched]);
    return touched;
  });
}
