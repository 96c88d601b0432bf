/**
 * The summary that a client wrote behind its compaction's line: the archive ends with that line, and the summary is what
 * is left of the context in it.
 */
import { readSigns } from '../../../core/agents/registry';
import { openTranscript } from '../archive/copy-transcript';

/** It follows within a line or two; the search ends after so many bytes. */
const LOOKED_AT_BYTES = 4 * 1024 * 1024;

/**
 * @param after where the compaction's line ends
 * @param boundary the client's own id of the compaction; it may write its line twice
 * @returns null where there is none (yet), or the client writes it into that line itself. Never throws.
 */
export async function readSummary(path: string, after: number, boundary?: string): Promise<string | null> {
  try {
    const file = await openTranscript(path);
    try {
      const wanted = Math.min(LOOKED_AT_BYTES, Math.max(0, (await file.stat()).size - after));
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, after);
      return findSummary(buffer.subarray(0, bytesRead), boundary);
    } finally {
      await file.close();
    }
  } catch {
    // It went away, or cannot be read: the archive is uploaded without it.
    return null;
  }
}

/** The first summary before another compaction. */
function findSummary(bytes: Buffer, boundary: string | undefined): string | null {
  for (const line of bytes.toString('utf8').split('\n')) {
    const isOther = readSigns('boundary', line).some(({ id }) => id === null || id !== boundary);
    if (isOther) return null;
    const [summary] = readSigns('summary', line);
    if (summary !== undefined) return summary;
  }
  return null;
}
