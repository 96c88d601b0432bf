/** Files of somebody's bytes: saved by the reader, never shown, kept nowhere on the way. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readRange } from './read-range';

export interface BytesFile {
  /** As the reader's disk will have it; what is no harmless name is made one. */
  name: string;
  bytes: number;
  /** Of the whole: SHA-256, hexadecimal. */
  sha256: string;
  /** Called before the first byte goes out: whoever asks is in the log then. */
  onRead(range: { from: number; to: number }): Promise<void>;
  /** The bytes `[from, to)`. */
  read(from: number, to: number): AsyncIterable<Buffer>;
}

export async function answerBytes(req: IncomingMessage, res: ServerResponse, file: BytesFile): Promise<void> {
  const tag = `"${file.sha256}"`;
  const ifRange = req.headers['if-range'];
  const isWanted = ifRange === undefined || ifRange === tag;
  const range = isWanted ? readRange(req.headers.range, file.bytes) : null;
  res.setHeader('Accept-Ranges', 'bytes');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('ETag', tag);
  // The policy of all data answers lets nothing run; this says it again for a reader that saves the headers alone.
  res.setHeader('X-Content-Type-Options', 'nosniff');
  if (range === 'unsatisfiable') {
    res.writeHead(416, { 'Content-Range': `bytes */${file.bytes}`, 'Content-Length': 0 }).end();
    return;
  }
  const { from, to } = range ?? { from: 0, to: file.bytes };
  if (req.method !== 'HEAD') await file.onRead({ from, to });
  res.writeHead(range ? 206 : 200, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': to - from,
    'Content-Disposition': attachment(file.name),
    ...(range && { 'Content-Range': `bytes ${from}-${to - 1}/${file.bytes}` }),
  });
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  try {
    await pipeline(Readable.from(file.read(from, to), { highWaterMark: 1 }), res);
  } catch (error) {
    // The reader went away.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** RFC 6266: a name of plain letters for old readers, and the whole one in UTF-8. No folder, no hidden file. */
export function attachment(name: string): string {
  const base = name.split(/[/\\]/).at(-1) ?? '';
  const safe = base.replace(/[\p{Cc}\p{Cf}\p{Cs}"*:<>?|%]/gu, '_').replace(/^\.+/, '') || 'transcript';
  const plain = safe.replace(/[^\x20-\x7e]/g, '_');
  const encoded = encodeURIComponent(safe).replace(
    /['()!~]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
