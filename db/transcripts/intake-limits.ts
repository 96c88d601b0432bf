/** Refusals of uploads, and the limits of a project's transcripts. */
import type postgres from 'postgres';
import type { TranscriptSettings } from '../../core/api/transcript-settings';

/** An error answer to a runner; the message is the reason. */
export class IntakeRefusal extends Error {
  override readonly name = 'IntakeRefusal';
  constructor(
    readonly status: number,
    readonly code: string,
    /** The invalid field, header or part of the path; empty for other errors. */
    readonly field: string,
    reason: string,
    /** `Retry-After`, seconds; null: the same request fails again. */
    readonly retryAfter: number | null = null,
  ) {
    super(reason);
  }
}

export function deletedBefore(reason: string | null): IntakeRefusal {
  const why = reason ? `: ${reason}` : '';
  return new IntakeRefusal(410, 'deleted', 'archive', `this transcript was deleted${why}`);
}

export function unknownArchive(): IntakeRefusal {
  const reason = 'no upload has this id: offer the archive first';
  return new IntakeRefusal(404, 'unknown_archive', 'archive', reason);
}

/** The project's limit that another transcript of this size would exceed. Null: no limit. */
export async function findExceeded(
  tx: postgres.TransactionSql,
  projectId: number,
  { limits }: TranscriptSettings,
  bytes: number,
  maxOpen: number,
): Promise<IntakeRefusal | null> {
  if (bytes > limits.maxArchiveBytes) {
    const reason = `the transcript has ${bytes} bytes; the project accepts at most ${limits.maxArchiveBytes} (maxArchiveBytes)`;
    return new IntakeRefusal(413, 'too_large', 'bytes', reason);
  }
  const [row] = await tx<{ files: number; open: number }[]>`
    select count(*)::int as files, count(*) filter (where t.state = 'uploading')::int as open from transcripts t join transcript_files f on f.transcript_id = t.id
    where t.project_id = ${projectId}`;
  const files = row?.files ?? 0;
  if (files >= limits.maxArchives) {
    const reason = `the project has ${files} transcripts; it accepts at most ${limits.maxArchives} (maxArchives)`;
    return new IntakeRefusal(413, 'too_many', 'project', reason);
  }
  if ((row?.open ?? 0) >= maxOpen) {
    const reason = `the project has ${maxOpen} unfinished uploads, which is the most (BAROGRAPH_LIMIT_OPEN_OFFERS)`;
    return new IntakeRefusal(429, 'too_many_open', 'project', reason, 60);
  }
  return findFull(tx, projectId, limits);
}

export async function findFull(
  sql: postgres.ISql,
  projectId: number,
  { maxStoredBytes }: TranscriptSettings['limits'],
): Promise<IntakeRefusal | null> {
  const [row] = await sql<{ stored: number }[]>`
    select coalesce(sum(stored_bytes), 0)::bigint as stored from transcript_chunks where project_id = ${projectId}`;
  const stored = row?.stored ?? 0;
  if (stored < maxStoredBytes) return null;
  const reason = `the transcripts of the project use ${stored} bytes on disk; the limit is ${maxStoredBytes} (maxStoredBytes)`;
  return new IntakeRefusal(413, 'project_full', 'project', reason);
}
