/** Answers that are downloaded as files. No cache keeps them. */
import { type Columns, csvHead, csvRows } from '../../core/api/csv';
import type { ExportFormat } from '../../core/api/parameters';
import type { SessionRef } from '../../db/queries/find-session';
import { createTurns } from '../http/places';
import type { ApiContext } from './api';

/** A page blocks the event loop for some milliseconds, in which no turn is acknowledged. */
const PAGE = 100;
/** Exports rest this many times as long as a page took, up to a second, so that ingest keeps most of the event loop. */
const REST_FACTOR = 2;
const LONGEST_REST_MS = 1_000;
const pages = createTurns(1);

/** Read for an export. All exports of the process take turns. */
export async function readPaced<T>(read: () => Promise<T>): Promise<T> {
  const end = await pages.take('');
  const startedAt = performance.now();
  try {
    return await read();
  } finally {
    const restMs = REST_FACTOR * (performance.now() - startedAt);
    setTimeout(end, Math.min(restMs, LONGEST_REST_MS)).unref();
  }
}

const CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
} as const;

export function saveBody<T>(
  c: ApiContext,
  name: string,
  format: ExportFormat,
  body: T,
  csv: (body: T) => string,
): Response {
  const text = format === 'csv' ? csv(body) : `${JSON.stringify(body, null, 2)}\n`;
  return c.body(text, 200, {
    ...fileHeaders(name, format),
    'Content-Length': String(Buffer.byteLength(text)),
  });
}

const fileHeaders = (name: string, format: ExportFormat) => ({
  'Content-Type': CONTENT_TYPES[format],
  'Content-Disposition': `attachment; filename="barograph-${name}.${format}"`,
  'Cache-Control': 'no-store',
});

interface Page<T> {
  entries: T[];
  nextCursor: string | null;
}

interface PageParameters {
  limit?: number | undefined;
  cursor?: string | undefined;
}

interface FileOfList<T, P> {
  /** Name of the list, in the file name and in the JSON. */
  name: 'turns' | 'events';
  session: SessionRef;
  format: ExportFormat;
  columns: Columns<T>;
  read: (parameters: P) => Promise<Page<T>>;
}

/**
 * A list of a session as a file of any length. The list is read and written one page at a time, so that memory is
 * bounded and no transaction stays open during a slow download. Entries recorded during the download are included.
 *
 * @param parameters of the list; `limit` applies to the whole file, not to a page
 * @throws InvalidParameterError from `read`, before the response starts
 */
export async function saveList<T, P extends PageParameters>(
  c: ApiContext,
  parameters: P,
  file: FileOfList<T, P>,
): Promise<Response> {
  const most = parameters.limit ?? Number.POSITIVE_INFINITY;
  const read = (page: P) => readPaced(() => file.read(page));
  const first = await read({ ...parameters, limit: Math.min(PAGE, most) });
  const all = readPages(parameters, most, first, read);
  const chunks = file.format === 'csv' ? asCsv(file, all) : asJson(file, all);
  return c.body(streamOf(c, chunks), 200, fileHeaders(`${file.name}-${file.session.publicId}`, file.format));
}

async function* readPages<T, P extends PageParameters>(
  parameters: P,
  most: number,
  first: Page<T>,
  read: (parameters: P) => Promise<Page<T>>,
): AsyncGenerator<Page<T>> {
  let page = first;
  let left = most - page.entries.length;
  yield page;
  while (page.nextCursor !== null && left > 0) {
    page = await read({ ...parameters, cursor: page.nextCursor, limit: Math.min(PAGE, left) });
    left -= page.entries.length;
    yield page;
  }
}

async function* asCsv<T, P>(file: FileOfList<T, P>, pages: AsyncIterable<Page<T>>): AsyncGenerator<string> {
  yield csvHead(file.columns);
  for await (const { entries } of pages) yield csvRows(file.columns, entries);
}

/** The same shape as the list's own answer, one entry per line. */
async function* asJson<T, P>(
  { name, session }: FileOfList<T, P>,
  pages: AsyncIterable<Page<T>>,
): AsyncGenerator<string> {
  const owner = name === 'turns' ? `"sessionId":${JSON.stringify(session.publicId)},` : '';
  yield `{${owner}"${name}":[`;
  let separator = '\n';
  let nextCursor: string | null = null;
  for await (const page of pages) {
    let text = '';
    for (const entry of page.entries) {
      text += separator + JSON.stringify(entry);
      separator = ',\n';
    }
    nextCursor = page.nextCursor;
    yield text;
  }
  yield `\n],"nextCursor":${JSON.stringify(nextCursor)}}\n`;
}

/**
 * A body that is produced only as fast as the client reads it. A failure destroys the connection, so that no client
 * mistakes a part for the whole.
 */
function streamOf(c: ApiContext, chunks: AsyncIterable<string | Uint8Array>): ReadableStream {
  const iterator = chunks[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      try {
        const end = await c.var.account?.turn();
        const { done, value } = await iterator.next().finally(end);
        if (done) controller.close();
        else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
      } catch (error) {
        c.env.fail(error);
        c.env.outgoing.destroy();
        controller.close();
      }
    },
    async cancel() {
      await iterator.return?.();
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

export interface BytesFile {
  /** File name from the runner, which is sanitized. */
  name: string;
  bytes: number;
  /** SHA-256 of the whole file, hexadecimal. */
  sha256: string;
  /** Called before the first byte is sent, for the audit log. */
  onRead(range: ByteRange): Promise<void>;
  /** The bytes `[from, to)`. */
  read(from: number, to: number): AsyncIterable<Buffer>;
}

/** Sends stored bytes, or the range of bytes that the request names. */
export async function saveBytes(c: ApiContext, file: BytesFile): Promise<Response> {
  const tag = `"${file.sha256}"`;
  const ifRange = c.req.header('If-Range');
  const isWanted = ifRange === undefined || ifRange === tag;
  const range = isWanted ? readRange(c.req.header('Range'), file.bytes) : null;
  const headers = { 'Accept-Ranges': 'bytes', 'Cache-Control': 'no-store', ETag: tag };
  if (range === 'unsatisfiable') {
    return c.body(null, 416, { ...headers, 'Content-Range': `bytes */${file.bytes}` });
  }
  const { from, to } = range ?? { from: 0, to: file.bytes };
  const isHead = c.req.method === 'HEAD';
  if (!isHead) await file.onRead({ from, to });
  const answer = {
    ...headers,
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(to - from),
    'Content-Disposition': attachment(file.name),
    ...(range && { 'Content-Range': `bytes ${from}-${to - 1}/${file.bytes}` }),
  };
  const status = range ? 206 : 200;
  return isHead ? c.body(null, status, answer) : c.body(streamOf(c, file.read(from, to)), status, answer);
}

/** RFC 6266: an ASCII name for old clients, and the full name in UTF-8. Folders and leading dots are removed. */
function attachment(name: string): string {
  const base = name.split(/[/\\]/).at(-1) ?? '';
  const safe = base.replace(/[\p{Cc}\p{Cf}\p{Cs}"*:<>?|%]/gu, '_').replace(/^\.+/, '') || 'transcript';
  const plain = safe.replace(/[^\x20-\x7e]/g, '_');
  const encoded = encodeURIComponent(safe).replace(
    /['()!~]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Bytes `[from, to)`. */
type ByteRange = Record<'from' | 'to', number>;

/**
 * The range of a `Range` header (RFC 9110, 14.2). Multiple ranges, other units and malformed headers are ignored, as
 * the standard allows.
 *
 * @returns null for the whole file; `unsatisfiable` if the range begins after the end
 */
function readRange(header: string | undefined, total: number): ByteRange | null | 'unsatisfiable' {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (!match) return null;
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return null;
    const length = Math.min(Number(last), total);
    return length === 0 ? 'unsatisfiable' : { from: total - length, to: total };
  }
  const from = Number(first);
  if (last !== '' && Number(last) < from) return null;
  if (from >= total) return 'unsatisfiable';
  return { from, to: last === '' ? total : Math.min(Number(last) + 1, total) };
}
