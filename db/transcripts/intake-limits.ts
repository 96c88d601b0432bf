import type postgres from 'postgres';
import type { TranscriptSettings } from '../../core/api/transcript-settings';
import type { IntakeRefusal } from './offer-archive';
import type { TranscriptStore } from './transcript-store';

/** The limit of its project that one more transcript of so many bytes would be beyond; null: none. */
export async function findExceeded(
  tx: postgres.TransactionSql,
  store: TranscriptStore,
  projectId: number,
  { limits }: TranscriptSettings,
  { bytes }: { bytes: number },
): Promise<IntakeRefusal | null> {
  if (bytes > limits.maxArchiveBytes) {
    const reason = `the transcript has ${bytes} bytes, and the project takes at most ${limits.maxArchiveBytes} (maxArchiveBytes)`;
    return { status: 413, code: 'too_large', field: 'bytes', reason };
  }
  const [row] = await tx<{ files: number }[]>`
    select count(*)::int as files from transcripts t join transcript_files f on f.transcript_id = t.id
    where t.project_id = ${projectId}`;
  const files = row?.files ?? 0;
  if (files >= limits.maxArchives) {
    const reason = `the project has ${files} transcripts, and takes at most ${limits.maxArchives} (maxArchives)`;
    return { status: 413, code: 'too_many', field: 'project', reason };
  }
  return judgeFull(await store.measure(projectId, tx), limits);
}

/** Whether the project's transcripts take as much of the disk as they may. */
export function judgeFull(
  stored: number,
  { maxStoredBytes }: TranscriptSettings['limits'],
): IntakeRefusal | null {
  if (stored < maxStoredBytes) return null;
  const reason = `the transcripts of the project take ${stored} bytes on disk, and may take ${maxStoredBytes} (maxStoredBytes)`;
  return { status: 413, code: 'project_full', field: 'project', reason };
}
