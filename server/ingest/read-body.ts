import type { IncomingMessage } from 'node:http';

interface Fault {
  ok: false;
  status: 400 | 413 | 415;
  code: 'bad_message' | 'too_large' | 'unsupported_media_type';
  reason: string;
}
type Body = { ok: true; text: string } | Fault;

/**
 * Reads the body of a request as JSON text, up to the limit.
 * @throws the stream's error when the peer disconnects
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const type = (request.headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    return unsupported(
      `The body must be JSON: send it with "Content-Type: application/json", not ${type?.slice(0, 100)}.`,
    );
  }
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return unsupported('The body must not be compressed.');
  const body = await readBytes(request, maxBytes);
  if (!body.ok) return body;
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(body.bytes) };
  } catch {
    return { ok: false, status: 400, code: 'bad_message', reason: 'The body is not UTF-8.' };
  }
}

/**
 * Reads the body of a request, up to the limit.
 * @throws the stream's error when the peer disconnects
 */
export async function readBytes(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ ok: true; bytes: Buffer } | Fault> {
  // The rest of a refused body is discarded. If the connection were closed, its sender would get EPIPE instead of the
  // answer, and retry for ever.
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) break;
    chunks.push(chunk);
  }
  if (bytes <= maxBytes) return { ok: true, bytes: Buffer.concat(chunks) };
  request.resume();
  return tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): Fault {
  return { ok: false, status: 413, code: 'too_large', reason: `A body may have at most ${maxBytes} bytes.` };
}

function unsupported(reason: string): Fault {
  return { ok: false, status: 415, code: 'unsupported_media_type', reason };
}
