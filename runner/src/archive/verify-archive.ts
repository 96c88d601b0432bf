import type { ArchiveEntry } from './archive-types';
import { digestFile } from './transcript-file';

/** `intact`: the copy matches the index. `changed`: other bytes. `missing`: no file. `unreadable`: cannot be read. */
export type ArchiveCheck = 'intact' | 'changed' | 'missing' | 'unreadable';

/** Compare a stored archive with its index entry by size and hash. Never throws. */
export function verifyArchive(
  entry: Pick<ArchiveEntry, 'archive' | 'bytes' | 'sha256'>,
): Promise<ArchiveCheck> {
  return verifyFile(entry.archive, entry);
}

/** Same as `verifyArchive`, for any file. @param most maximum number of bytes to compare; default: all */
export async function verifyFile(
  path: string | null,
  { bytes, sha256 }: Pick<ArchiveEntry, 'bytes' | 'sha256'>,
  most?: number,
): Promise<ArchiveCheck> {
  if (path === null) return 'missing';
  try {
    const found = await digestFile(path, most);
    return found.bytes === bytes && found.sha256 === sha256 ? 'intact' : 'changed';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'unreadable';
  }
}
