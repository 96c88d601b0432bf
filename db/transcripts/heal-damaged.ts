/** Restore damaged archives whose missing chunks arrived again with another upload. */
import type postgres from 'postgres';
import { completeArchive } from './complete-archive';
import type { TranscriptStore } from './transcript-store';

const AT_ONCE = 100;

/** @returns the number of restored archives */
export async function healDamaged(
  sql: postgres.Sql,
  store: TranscriptStore,
  { projectId, signal }: { projectId?: number; signal?: AbortSignal } = {},
): Promise<number> {
  const rows = await sql<{ archive: string }[]>`
    select t.archive from transcripts t
    where t.state = 'damaged' and t.archive is not null
      ${projectId === undefined ? sql`` : sql`and t.project_id = ${projectId}`}
      and not exists (
        select from transcript_parts p
        where p.transcript_id = t.id and not exists (
          select from transcript_chunks c where c.project_id = p.project_id and c.sha256 = p.sha256
        )
      )
    order by t.id limit ${AT_ONCE}`;
  let healed = 0;
  for (const { archive } of rows) {
    const result = await completeArchive(sql, store, archive, { ...(signal && { signal }) });
    if (result.type === 'taken' && result.progress.state === 'stored') healed += 1;
  }
  return healed;
}
