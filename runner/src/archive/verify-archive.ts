import type { ArchiveEntry } from './archive-types';
import { measureFile } from './copy-transcript';

/** `intact`: the copy is what the index says. `changed`: other bytes. `missing`: no file there. `unreadable`: cannot be read. */
export type ArchiveCheck = 'intact' | 'changed' | 'missing' | 'unreadable';

/** Compares a stored archive with its entry, byte by byte through its hash. Never throws. */
export async function verifyArchive(
  entry: Pick<ArchiveEntry, 'archive' | 'bytes' | 'sha256'>,
): Promise<ArchiveCheck> {
  if (entry.archive === null) return 'missing';
  try {
    const { bytes, sha256 } = await measureFile(entry.archive);
    return bytes === entry.bytes && sha256 === entry.sha256 ? 'intact' : 'changed';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'unreadable';
  }
}
