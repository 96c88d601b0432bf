/**
 * Makes a server prove with a random challenge that it wrote this machine's `connection.json`. The address proves
 * nothing: it may be the end of a tunnel.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { parseFields } from '../../../core/agents/fields';
import { HEX_64, IDENTITY_PATH, portOf, proofText } from '../../../core/settings/connection-file';
import { messageOf } from '../guard';

export type Proof =
  | { type: 'proven'; server: string }
  /** No answer, or a server error. `reason` is a clause. */
  | { type: 'away'; reason: string }
  /** The answer contains no valid proof. `reason` is a clause. */
  | { type: 'unproven'; reason: string };

export interface PendingProof {
  /** Never rejects. */
  result: Promise<Proof>;
  /** Whether the request keeps the process alive; default true. */
  keepAlive(on: boolean): void;
  drop(): void;
}

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_CHARACTERS = 10_000;
const CHALLENGE_BYTES = 32;

/** HTTP address of a path on the server. @param url any scheme, with or without a base path. */
export function httpAddress(url: string, path: string): string {
  const parsed = new URL(url);
  const base = parsed.pathname.replace(/\/+$/, '').replace(/\/v1\/ingest$/, '');
  return `${parsed.protocol.replace(/^ws/, 'http')}//${parsed.host}${base}${path}`;
}

/** @param url http, https, ws or wss, with or without a base path. */
export function beginProof(url: string, secret: string, timeoutMs = TIMEOUT_MS): PendingProof {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('hex');
  const body = JSON.stringify({ challenge });
  const address = httpAddress(url, IDENTITY_PATH);
  const request = (address.startsWith('https:') ? requestHttps : requestHttp)(address, {
    method: 'POST',
    // A separate connection that closes with the answer.
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  const late = new Error(`no answer within ${timeoutMs / 1000} s`);
  const timer = setTimeout(() => request.destroy(late), timeoutMs);
  const handles: (NodeJS.Timeout | Socket)[] = [timer];
  let isAlive = true;
  const keepAlive = (on: boolean) => {
    isAlive = on;
    for (const handle of handles) on ? handle.ref() : handle.unref();
  };
  request.on('socket', (socket) => {
    handles.push(socket);
    keepAlive(isAlive);
  });
  const result = new Promise<Proof>((resolve) => {
    const fail = (error: unknown) => resolve({ type: 'away', reason: messageOf(error) });
    request.on('error', fail);
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      readText(response).then((text) => resolve(judge(status, text, { url, secret, challenge })), fail);
    });
    request.end(body);
  }).finally(() => clearTimeout(timer));
  return { result, keepAlive, drop: () => request.destroy() };
}

/** Begin a proof and wait for its result. */
export function proveServer(url: string, secret: string, timeoutMs?: number): Promise<Proof> {
  return beginProof(url, secret, timeoutMs).result;
}

function judge(
  status: number,
  text: string,
  { url, secret, challenge }: { url: string; secret: string; challenge: string },
): Proof {
  if (status >= 500) return { type: 'away', reason: `it answers with status ${status}` };
  const { server, proof } = parseFields(text) ?? {};
  if (status === 200 && typeof server === 'string' && typeof proof === 'string' && HEX_64.test(proof)) {
    const subject = proofText({ challenge, server, port: portOf(url) });
    const expected = createHmac('sha256', secret).update(subject).digest();
    if (timingSafeEqual(expected, Buffer.from(proof, 'hex'))) return { type: 'proven', server };
  }
  const { origin } = new URL(httpAddress(url, '/'));
  return { type: 'unproven', reason: `the program at ${origin} is not the server of this machine` };
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const part of response) {
    text += part;
    if (text.length > MAX_ANSWER_CHARACTERS) {
      response.destroy();
      break;
    }
  }
  return text;
}
