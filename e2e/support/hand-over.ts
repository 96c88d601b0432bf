/** Uploads of transcripts with any bytes, with the requests of a runner. */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
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

export type About = Partial<ArchiveOffer> & Pick<ArchiveOffer, 'project' | 'session'>;

/** The offer of a file, and its chunks by their hashes. */
function offerOf(bytes: Buffer, about: About): { offer: ArchiveOffer; chunks: Map<string, Buffer> } {
  const hashes: string[] = [];
  const chunks = new Map<string, Buffer>();
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    const chunk = bytes.subarray(from, from + CHUNK_BYTES);
    const hash = sha256(chunk);
    hashes.push(hash);
    chunks.set(hash, chunk);
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
    chunks: hashes,
    ...about,
  };
  return { offer, chunks };
}

/** @throws Error with the server's answer if the server refuses a part */
export async function handOver(server: BarographServer, bytes: Buffer, about: About): Promise<HandedOver> {
  const { offer, chunks } = offerOf(bytes, about);
  const read = async (sent: Promise<Response>): Promise<ArchiveProgress> => {
    const answer = await sent;
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.url} answers ${answer.status}: ${text}`);
    return (text === '' ? null : JSON.parse(text)) as ArchiveProgress;
  };
  const json = { 'content-type': 'application/json' };
  const { missing } = await read(send(server, 'POST', '', JSON.stringify(offer), json));
  for (const hash of missing) {
    const body = new Uint8Array(gzipSync(chunks.get(hash) ?? ''));
    await read(send(server, 'PUT', `/${offer.archive}/chunks/${hash}`, body, { 'content-encoding': 'gzip' }));
  }
  const done = await read(send(server, 'POST', `/${offer.archive}/complete`));
  if (done.state !== 'stored') throw new Error(`The archive is ${done.state}.`);
  return { id: done.id, offer };
}

/** Repeats the request while the server has no place for it, as runners do. */
async function send(
  server: BarographServer,
  method: string,
  path: string,
  body: BodyInit | null = null,
  headers: Record<string, string> = {},
): Promise<Response> {
  const authorization = `Bearer ${server.connection.ingestToken}`;
  for (;;) {
    const options = { method, body, headers: { ...headers, authorization } };
    const answer = await fetch(`${server.url}/v1/archives${path}`, options);
    if (answer.status !== 503) return answer;
    await answer.arrayBuffer();
    await rest(50);
  }
}

/** Waits until the server has read a stored transcript. */
export async function untilRead(server: BarographServer, id: string, timeoutMs = 180_000): Promise<void> {
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
