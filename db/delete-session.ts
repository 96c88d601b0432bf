import type postgres from 'postgres';
import { emptySessionFold } from '../core/accounting/fold';
import type { TouchedSession } from './ingest/types';
import { notifySessions } from './notify-sessions';
import { PARTITIONED_TABLES } from './partitions';
import { transact } from './transact';
import { deleteTranscriptsOf } from './transcripts/end-transcript';

const { chains: _none, ...fold } = emptySessionFold();
export const EMPTY_FOLD = JSON.stringify(fold);

/**
 * Delete a session. A tombstone with project, key and id remains and refuses new items. Returns null if the session is
 * unknown, deleted or adopted.
 */
export async function deleteSession(sql: postgres.Sql, publicId: string): Promise<TouchedSession | null> {
  return transact(sql, async (tx) => {
    await tx`
      select from projects where id = any(array(
        select coalesce(t.project_id, s.project_id) from sessions s
        join sessions o on coalesce(o.adopted_by, o.id) = s.id left join transcripts t on t.session = o.public_id
        where s.public_id = ${publicId}
      )) order by id for no key update`;
    const [session] = await tx<{ id: number; version: number }[]>`
      select id, version from sessions
      where public_id = ${publicId} and deleted_at is null and adopted_by is null for update`;
    if (!session) return null;
    const { id, version } = session;
    await clearSessions(tx, [id], false);
    await deleteTranscriptsOf(tx, id);
    await tx`insert into history_changes (session_id, position) values (${id}, 0)`;
    const touched = { id, publicId, version: version + 1 };
    await notifySessions(tx, [touched]);
    return touched;
  });
}

/** Turn sessions into tombstones. `areDropped`: the caller drops the partitions of these sessions. */
export async function clearSessions(
  tx: postgres.TransactionSql,
  ids: readonly number[],
  retired: boolean,
  areDropped = false,
): Promise<void> {
  const partitioned = areDropped ? [] : Object.keys(PARTITIONED_TABLES);
  for (const table of [...partitioned, 'notes', 'commands', 'session_aliases', 'session_streams']) {
    await tx`delete from ${tx(table)} where session_id = any(${`{${ids}}`}::text::bigint[])`;
  }
  await emptySessions(
    tx,
    ids,
    tx`deleted_at = clock_timestamp(), retired = ${retired}, title = null, host = null, folder = null,
      branch = null, model = null, client = null, client_version = null`,
  );
}

/** Reset the session columns that are derived from items. `also`: further assignments. */
export async function emptySessions(
  tx: postgres.TransactionSql,
  ids: readonly number[],
  also: postgres.PendingQuery<postgres.Row[]>,
): Promise<void> {
  await tx`
    update sessions set ${also}, fold = ${EMPTY_FOLD}::text::json, last_position = 0, chain_count = 1,
      items_since_checkpoint = 0, recompute_from = null, used = null, pressure = null, state = 'unknown',
      minutes_left = null, silent_after_ms = null, turn_count = 0, composition_version = null,
      notes_version = null, version = version + 1, changed_at = clock_timestamp()
    where id = any(${`{${ids}}`}::text::bigint[])`;
}
