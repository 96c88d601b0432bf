/** Lines of a growing file. Bytes after the last line feed stay unread, unless they are complete JSON. */
import { open, readFile } from 'node:fs/promises';
import { splitValues } from '../../../core/agents/lines';
import { createEntrySplitter, type EntryBytes } from '../../../core/transcript/split-entries';
import { isCompressed, readCompressed } from './compressed-files';

export interface ReadOptions {
  /** Of a compressed file, the place in its content. */
  from: number;
  /** End of the range, exclusive; default: the end of the file. */
  to?: number;
  signal?: AbortSignal | undefined;
}

export interface LineBatch {
  lines: string[];
  offset: number;
}

/** Longer lines are skipped: a line must fit into one string. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const decoder = new TextDecoder();

/** Yields the complete lines in batches of about one chunk. Invalid UTF-8 becomes U+FFFD. */
export async function* readLines(path: string, options: ReadOptions): AsyncGenerator<LineBatch> {
  const { from } = options;
  const splitter = createEntrySplitter(undefined, MAX_LINE_BYTES);
  const decode = (entries: readonly EntryBytes[]) =>
    entries.flatMap(({ bytes }) => (bytes === null ? [] : [decoder.decode(bytes)]));
  let position = from;
  for await (const chunk of isCompressed(path) ? readContent(path, options) : readChunks(path, options)) {
    position += chunk.length;
    const entries = splitter.push(chunk);
    const last = entries.at(-1);
    if (last) yield { lines: decode(entries), offset: from + last.to };
  }
  const tail = decode(splitter.end());
  if (tail.some(isWholeJson)) yield { lines: tail, offset: position };
}

async function* readChunks(path: string, options: ReadOptions): AsyncGenerator<Buffer> {
  const { from, to = Number.POSITIVE_INFINITY, signal } = options;
  const file = await open(path, 'r');
  try {
    let position = from;
    while (signal?.aborted !== true && position < to) {
      const wanted = Math.min(CHUNK_BYTES, to - position);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function* readContent(path: string, options: ReadOptions): AsyncGenerator<Buffer> {
  const { from, to = Number.POSITIVE_INFINITY, signal } = options;
  let position = 0;
  for await (const part of readCompressed(path)) {
    if (signal?.aborted === true || position >= to) return;
    const wanted = part.subarray(Math.max(0, from - position), Math.min(part.length, to - position));
    position += part.length;
    if (wanted.length > 0) yield wanted;
  }
}

/** The content of a JSON document; null while the client writes the document. */
export async function readDocument(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8');
  return isWholeJson(text) ? text : null;
}

/** A partial line is never complete JSON: every value is an object, which only its last brace closes. */
function isWholeJson(tail: string): boolean {
  const { values, undecodable } = splitValues(tail);
  const isRecord = (value: unknown) => typeof value === 'object' && value !== null;
  return values.length > 0 && !undecodable && values.every(isRecord);
}
