/**
 * The summary that a client wrote behind its compaction's line: the archive ends with that line, and the summary is what
 * is left of the context in it.
 */
import { MAX_SUMMARY } from '../../../core/transcript/max-summary';
import { asFields, cleanText, fieldsOf } from '../adapters/claude-code/read-fields';
import { splitValues } from '../adapters/split-values';
import { openTranscript } from '../archive/copy-transcript';
import { BOUNDARY_MARKS, readBoundary } from './read-boundary';

/** It stands within a line or two; behind so many bytes it is not looked for. */
const LOOKED_AT_BYTES = 4 * 1024 * 1024;
const MARK = 'isCompactSummary';
const MARKS = BOUNDARY_MARKS.map(String);

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
    // It went away, or cannot be read: the archive stands without.
    return null;
  }
}

/** The first one before another compaction. */
function findSummary(bytes: Buffer, boundary: string | undefined): string | null {
  for (const line of bytes.toString('utf8').split('\n')) {
    if (isOther(line, boundary)) return null;
    if (!line.includes(MARK)) continue;
    for (const value of splitValues(line).values) {
      const fields = asFields(value);
      if (fields?.isCompactSummary !== true) continue;
      const text = textOfContent(fieldsOf(fields, 'message')?.content);
      const clean = cleanText(text.replaceAll(/\p{Cs}/gu, '\ufffd'), MAX_SUMMARY);
      if (clean !== undefined) return clean;
    }
  }
  return null;
}

function isOther(line: string, boundary: string | undefined): boolean {
  if (!MARKS.some((mark) => line.includes(mark))) return false;
  const found = readBoundary(line);
  return found !== null && (found.id === null || found.id !== boundary);
}

function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => {
      const text = asFields(part)?.text;
      return typeof text === 'string' ? text : '';
    })
    .join('\n');
}
