/** What kept an archive from coming in while the store could not even write that down. */
import type postgres from 'postgres';
import { sessionId } from '../../core/identity/session-id';
import { transact } from '../transact';
import type { Remembered } from './held-up-reads';
import { recordAudit } from './record-audit';
import { recordStoreEvent } from './record-store-event';
import { lockSession, touchSession } from './touch-session';
import { lockProject } from './transcript-store';

export interface HeldUp extends Remembered {
  /** It has come in since. */
  isOver: boolean;
}

/** Writes it down: an entry of the audit log, and the row's reason while the archive still waits. */
export async function writeHeldUp(sql: postgres.Sql, held: HeldUp): Promise<void> {
  const { archive, offer, reason, since, until, times, isOver } = held;
  if (offer) await sql`insert into projects (name) values (${offer.project}) on conflict do nothing`;
  await transact(sql, async (tx) => {
    const [place] = await tx<{ projectId: number; session: string }[]>`
      select project_id as "projectId", session from transcripts where archive = ${archive}
      union all
      select id, ${offer && sessionId(offer.project, offer.session)}::uuid from projects
      where name = ${offer?.project ?? ''} and not exists (select from transcripts where archive = ${archive})`;
    if (!place) return;
    await lockProject(tx, place.projectId);
    const session = await lockSession(tx, place.session);
    const why = `${reason} The runner comes again.`;
    if (offer && !isOver && !session?.isDeleted) {
      await tx`
        insert into transcripts (project_id, session, session_key, archive, state, reason, trigger, version, boundary,
          agent, at, file_name, host, path, bytes, lines, sha256)
        values (${place.projectId}, ${place.session}, ${offer.session}, ${archive}, 'failed', ${why}, ${offer.trigger},
          ${offer.version}, ${offer.boundary ?? null}, ${offer.agent ?? null}, ${new Date(offer.at)}, ${offer.fileName},
          ${offer.host}, ${offer.path}, ${offer.bytes}, ${offer.lines}, ${offer.sha256})
        on conflict (archive) do nothing`;
    }
    const [row] = await tx<
      { id: number }[]
    >`select id from transcripts where archive = ${archive} for update`;
    if (!row) return;
    if (!isOver) {
      await tx`
        update transcripts set reason = ${why}
        where id = ${row.id} and state in ('announced', 'uploading')`;
    }
    const detail = { reason, since: iso(since), until: iso(until), times };
    await recordAudit(tx, { actor: 'store', action: 'transcript_delayed', transcriptId: row.id, detail });
    await recordStoreEvent(tx, session, { kind: 'archive_delayed', transcriptId: row.id, detail });
    await touchSession(tx, session);
  });
}

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();
