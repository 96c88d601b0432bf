import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { auditName, type Person } from '../core/identity/roles';
import { ownerOf } from './access';
import { deleteNote } from './queries/notes';

/**
 * Delete what a person wrote: notes (unless another person has the same name), and texts of commands. A tombstone
 * replaces name and address in the audit log, commands, alerts, and notes of others that the person changed.
 * @returns the tombstone
 */
export async function deleteTraces(
  sql: postgres.Sql,
  person: Pick<Person, 'id' | 'name' | 'email'>,
): Promise<string> {
  const { id: own, name, email } = person;
  const actor = auditName(person);
  const tombstone = `deleted person ${randomBytes(4).toString('hex')}`;
  const isUnique = sql`not exists (select from people where name = ${name} and id <> ${own})`;
  const notes = await sql<{ id: string; session: string }[]>`
    select n.id::text, s.public_id as session from notes n join sessions s on s.id = n.session_id
    where n.author = ${name} and ${isUnique}`;
  for (const { id, session } of notes) await deleteNote(sql, session, id, Date.now());
  await sql`
    with changed as (
      update notes set edited_by = ${tombstone}, version = version + 1 where edited_by = ${name} and ${isUnique}
      returning session_id
    )
    update sessions set version = version + 1, notes_version = version + 1, changed_at = clock_timestamp()
    where id in (select session_id from changed)`;
  await sql`update commands set actor = ${tombstone}, text = null, reason = null where actor = ${actor}`;
  await sql`
    update alerts set acknowledged_by = replace(acknowledged_by, ${actor}, ${tombstone}),
      resolved_by = replace(resolved_by, ${actor}, ${tombstone})
    where ${actor} in (acknowledged_by, resolved_by)`;
  await sql`delete from invitations where email = ${email} or (invited_by = ${actor} and used_at is null)`;
  await sql`update invitations set invited_by = ${tombstone} where invited_by = ${actor}`;
  // The server's own role may only add to the log.
  await ownerOf(sql)`
    update audit_log set actor = replace(actor, ${actor}, ${tombstone}),
      detail = case when detail->>'name' in (${actor}, ${email})
        then jsonb_set(detail, '{name}', to_jsonb(${tombstone}::text)) else detail end
    where actor = ${actor} or detail->>'name' in (${actor}, ${email})`;
  return tombstone;
}
