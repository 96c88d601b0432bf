/** A transcript handed to a server as a runner does it, with whatever bytes a story wants in it. */
import { createHash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { ArchiveOffer, ArchiveProgress } from '@/core/api/transcripts';
import type { BarographServer } from './server';

const CHUNK_BYTES = 1024 * 1024;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export interface HandedOver {
  /** The server's id. */
  id: string;
  offer: ArchiveOffer;
}

/** @throws Error with the server's answer when it takes something else than everything */
export async function handOver(
  server: BarographServer,
  bytes: Buffer,
  about: Partial<ArchiveOffer> & Pick<ArchiveOffer, 'project' | 'session'>,
): Promise<HandedOver> {
  const chunks: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    chunks.push(bytes.subarray(from, from + CHUNK_BYTES));
  }
  const offer: ArchiveOffer = {
    archive: randomUUID(),
    at: new Date().toISOString(),
    trigger: 'auto',
    version: 'hook',
    fileName: 'session_transcript.jsonl',
    path: '/home/dev/.config/barograph/runs/harbour/archives/session_transcript.jsonl',
    host: 'pier',
    bytes: bytes.length,
    lines: bytes.reduce((count, byte) => count + (byte === 0x0a ? 1 : 0), 0),
    sha256: sha256(bytes),
    chunks: chunks.map(sha256),
    ...about,
  };
  const { missing } = (await send(server, 'POST', '/v1/archives', JSON.stringify(offer), {
    'content-type': 'application/json',
  })) as ArchiveProgress;
  for (const hash of missing) {
    const chunk = chunks.find((one) => sha256(one) === hash) ?? Buffer.alloc(0);
    await send(server, 'PUT', `/v1/archives/${offer.archive}/chunks/${hash}`, gzipSync(chunk), {
      'content-encoding': 'gzip',
    });
  }
  const done = (await send(
    server,
    'POST',
    `/v1/archives/${offer.archive}/complete`,
    null,
    {},
  )) as ArchiveProgress;
  if (done.state !== 'stored') throw new Error(`The server says ${done.state}.`);
  return { id: done.id, offer };
}

async function send(
  server: BarographServer,
  method: string,
  path: string,
  body: string | Buffer | null,
  headers: Record<string, string>,
): Promise<unknown> {
  const answer = await sendRaw(server, method, path, body, headers);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}

/** The answer as it comes, for stories of what is refused. */
export function sendRaw(
  server: BarographServer,
  method: string,
  path: string,
  body: string | Buffer | null,
  headers: Record<string, string>,
): Promise<Response> {
  const { ingestToken } = server.connection;
  return fetch(`${server.url}${path}`, {
    method,
    headers: { ...headers, authorization: `Bearer ${ingestToken}` },
    body: typeof body === 'string' || body === null ? body : new Uint8Array(body),
  });
}

/** Waits until the server has read what it stored: from then on its text is shown and found. */
export async function untilRead(server: BarographServer, id: string, timeoutMs = 60_000): Promise<void> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const answer = await fetch(`${server.url}/api/v1/transcripts/${id}/outline`, {
      headers: { authorization: `Bearer ${server.connection.readToken}` },
    });
    const { state, reason } = (await answer.json()) as { state?: string; reason?: string };
    if (state === 'read') return;
    if (state === 'failed' || Date.now() > until) throw new Error(`The transcript is ${state}: ${reason}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
