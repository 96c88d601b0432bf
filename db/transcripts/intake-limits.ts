/** The limits of a project's transcripts, and how an archive that exceeds one is refused. */
import type postgres from 'postgres';
import type { TranscriptSettings } from '../../core/api/transcript-settings';
import type { TranscriptStore } from './transcript-store';

export interface IntakeRefusal {
  status: 404 | 409 | 410 | 413 | 422;
  code: string;
  /** The field, header or part of the path at fault. */
  field: string;
  reason: string;
}

/** The project's limit that one more transcript of this size would exceed; null: none. */
export async function findExceeded(
  tx: postgres.TransactionSql,
  store: TranscriptStore,
  projectId: number,
  { limits }: TranscriptSettings,
  { bytes }: { bytes: number },
): Promise<IntakeRefusal | null> {
  if (bytes > limits.maxArchiveBytes) {
    const reason = `the transcript has ${bytes} bytes; the project accepts at most ${limits.maxArchiveBytes} (maxArchiveBytes)`;
    return { status: 413, code: 'too_large', field: 'bytes', reason };
  }
  const [row] = await tx<{ files: number }[]>`
    select count(*)::int as files from transcripts t join transcript_files f on f.transcript_id = t.id
    where t.project_id = ${projectId}`;
  const files = row?.files ?? 0;
  if (files >= limits.maxArchives) {
    const reason = `the project has ${files} transcripts; it accepts at most ${limits.maxArchives} (maxArchives)`;
    return { status: 413, code: 'too_many', field: 'project', reason };
  }
  return judgeFull(await store.measure(projectId, tx), limits);
}

/** Whether the project's transcripts fill the disk space they may use. */
export function judgeFull(
  stored: number,
  { maxStoredBytes }: TranscriptSettings['limits'],
): IntakeRefusal | null {
  if (stored < maxStoredBytes) return null;
  const reason = `the transcripts of the project use ${stored} bytes on disk; the limit is ${maxStoredBytes} (maxStoredBytes)`;
  return { status: 413, code: 'project_full', field: 'project', reason };
}

/**
 * Caches each project's disk usage for ten seconds and adds what arrives in between, because summing all chunks for
 * every chunk would be quadratic. Traffic of other processes is seen late, so the limit may be passed by a few seconds
 * of it; a refusal always rests on a fresh sum.
 */
export interface StoredMeter {
  /** Bytes at rest; a value at or above the limit is always freshly summed. */
  measure(projectId: number, limit: number): Promise<number>;
  add(projectId: number, bytes: number): void;
}

const MAX_AGE_MS = 10_000;
const MAX_PROJECTS = 10_000;

export function createStoredMeter(
  store: Pick<TranscriptStore, 'measure'>,
  { now = Date.now }: { now?: () => number } = {},
): StoredMeter {
  const known = new Map<number, { bytes: number; at: number }>();
  return {
    async measure(projectId, limit) {
      const last = known.get(projectId);
      if (last && last.bytes < limit && now() - last.at < MAX_AGE_MS) return last.bytes;
      const at = now();
      const bytes = await store.measure(projectId);
      if (known.size >= MAX_PROJECTS) known.clear();
      known.set(projectId, { bytes, at });
      return bytes;
    },
    add(projectId, bytes) {
      const last = known.get(projectId);
      if (last) last.bytes += bytes;
    },
  };
}
