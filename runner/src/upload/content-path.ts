import type { ArchiveEntry } from '../archive/archive-types';

/** Where the bytes of an archive lie: the copy, or of a completed one the beginning of the transcript itself. */
export function contentPath({
  archive,
  asOf,
  source,
}: Pick<ArchiveEntry, 'archive' | 'asOf' | 'source'>): string | null {
  return archive ?? (asOf === 'completed' ? source : null);
}
