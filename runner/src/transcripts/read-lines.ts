/**
 * Lines of a growing file, by byte offset. A line counts once its line feed is written. Bytes after the last
 * line feed stay unread, unless they are complete JSON (a writer that leaves out the final line feed).
 */
import { open } from 'node:fs/promises';
import { splitValues } from '../../../core/agents/lines';

export interface ReadOptions {
  /** Byte to begin at: the start of a line. */
  from: number;
  /** Byte to end before; default: the end of the file when it is reached. */
  to?: number;
  signal?: AbortSignal;
}

export interface LineBatch {
  lines: string[];
  /** Byte after the last of them: where reading goes on. */
  offset: number;
}

/** Longer lines are skipped: a line must fit into one string. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/** Yields the complete lines in batches of about one chunk. Invalid UTF-8 becomes U+FFFD. */
export async function* readLines(path: string, options: ReadOptions): AsyncGenerator<LineBatch> {
  const file = await open(path, 'r');
  try {
    let position = options.from;
    let lineStart = options.from;
    let parts: Buffer[] = [];
    let partBytes = 0;
    let skipping = false;
    while (options.signal?.aborted !== true) {
      const left = options.to === undefined ? CHUNK_BYTES : Math.min(CHUNK_BYTES, options.to - position);
      if (left <= 0) break;
      const chunk = Buffer.allocUnsafe(left);
      const { bytesRead } = await file.read(chunk, 0, left, position);
      if (bytesRead === 0) break;
      const lines: string[] = [];
      let from = 0;
      for (
        let end = chunk.indexOf(LINE_FEED);
        end !== -1 && end < bytesRead;
        end = chunk.indexOf(LINE_FEED, from)
      ) {
        parts.push(chunk.subarray(from, end));
        if (!skipping) lines.push(decodeLine(parts));
        parts = [];
        partBytes = 0;
        skipping = false;
        from = end + 1;
        lineStart = position + from;
      }
      const rest = chunk.subarray(from, bytesRead);
      partBytes += rest.length;
      skipping ||= partBytes > MAX_LINE_BYTES;
      if (skipping) parts = [];
      else parts.push(rest);
      position += bytesRead;
      if (lines.length > 0) yield { lines, offset: lineStart };
    }
    const tail = parts.length > 0 && !skipping ? decodeLine(parts) : '';
    if (tail !== '' && isWholeJson(tail)) yield { lines: [tail], offset: position };
  } finally {
    await file.close();
  }
}

function decodeLine(parts: Buffer[]): string {
  const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  return bytes.toString('utf8');
}

/** A partial line is never complete JSON: every value is an object, which only its last brace closes. */
function isWholeJson(tail: string): boolean {
  const { values, undecodable } = splitValues(tail);
  const isRecord = (value: unknown) => typeof value === 'object' && value !== null;
  return values.length > 0 && !undecodable && values.every(isRecord);
}
