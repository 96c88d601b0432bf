/** Finds the compactions of a transcript in one pass, and the summary after one of them. */
import type { Boundary as BoundaryLine } from '../../../core/agents/entry';
import { marksOf, readSigns } from '../../../core/agents/registry';
import { createEntrySplitter } from '../../../core/transcript/split-entries';
import { type Digest, FileDigest, openTranscript, readParts, readRange } from '../archive/transcript-file';

const BOUNDARY_MARKS = marksOf('boundary').map((mark) => Buffer.from(mark));
/** The summary follows within a line or two. */
const SUMMARY_BYTES = 4 * 1024 * 1024;

export interface Boundary extends BoundaryLine {
  /** Hash of the file up to the end of the line. */
  digest: Digest;
}

/** Find compactions with a line that ends after byte `after`, in file order. @throws what the file system throws. */
export async function findBoundaries(path: string, after = 0): Promise<Boundary[]> {
  const file = await openTranscript(path);
  try {
    const digest = new FileDigest();
    const found: Boundary[] = [];
    const splitter = createEntrySplitter();
    let at = 0;
    for await (const part of readParts(file, 0, (await file.stat()).size)) {
      let measured = 0;
      for (const { bytes, to } of splitter.push(part)) {
        const boundary = to > after ? boundaryIn(bytes) : null;
        if (boundary === null) continue;
        digest.add(part.subarray(measured, to - at));
        measured = to - at;
        const isKnown = boundary.id !== null && found.some(({ id }) => id === boundary.id);
        if (!isKnown) found.push({ ...boundary, digest: digest.digest() });
      }
      digest.add(part.subarray(measured));
      at += part.length;
    }
    return found;
  } finally {
    await file.close();
  }
}

/** The compaction that a line records. Null: the line records none, or is too long to record one. */
function boundaryIn(line: Uint8Array | null): BoundaryLine | null {
  if (line === null) return null;
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.length);
  if (!BOUNDARY_MARKS.some((mark) => bytes.includes(mark))) return null;
  return readSigns('boundary', bytes.toString('utf8'))[0] ?? null;
}

/**
 * The summary that a client wrote after its compaction's line. The client may write that line twice. Never throws.
 * @param after where the compaction's line ends
 * @param boundary the client's own id of the compaction
 */
export async function readSummary(path: string, after: number, boundary?: string): Promise<string | null> {
  try {
    const file = await openTranscript(path);
    const bytes = await readRange(file, after, after + SUMMARY_BYTES).finally(() => file.close());
    for (const line of bytes.toString('utf8').split('\n')) {
      const isOther = readSigns('boundary', line).some(({ id }) => id === null || id !== boundary);
      if (isOther) return null;
      const [summary] = readSigns('summary', line);
      if (summary !== undefined) return summary;
    }
  } catch {
    // The archive is uploaded without a summary.
  }
  return null;
}
