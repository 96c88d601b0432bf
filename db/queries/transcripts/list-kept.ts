import type postgres from 'postgres';
import type { KeptTranscripts } from '../../../core/api/transcript-settings';
import { KEPT_STATES } from '../../../core/transcript/transcript-states';
import { inProjects } from '../limit-reads';

/**
 * Stored transcripts by project, or of the named project only. Includes projects without a transcript. Counts
 * everything that a retention may delete, including damaged transcripts.
 */
export async function listKept(sql: postgres.ISql, name: string | null = null): Promise<KeptTranscripts[]> {
  const rows = await sql<(Omit<KeptTranscripts, 'oldestAt'> & { oldestAt: Date | null })[]>`
    select p.name as project, coalesce(t.transcripts, 0) as transcripts, coalesce(t.bytes, 0)::bigint as bytes,
      coalesce(c.bytes, 0)::bigint as "storedBytes", t.oldest as "oldestAt"
    from projects p
    left join (
      select project_id, count(*)::int as transcripts, sum(bytes) as bytes, min(at) as oldest
      from transcripts where state = any(${[...KEPT_STATES]}) group by project_id
    ) t on t.project_id = p.id
    left join (
      select project_id, sum(stored_bytes) as bytes from transcript_chunks group by project_id
    ) c on c.project_id = p.id
    where (p.name = ${name}::text or ${name}::text is null) and ${inProjects(sql, 'p.id')}
    order by p.name`;
  return rows.map((row) => ({ ...row, oldestAt: row.oldestAt?.toISOString() ?? null }));
}
