/**
 * Makes a server prove that it is the one of this machine's `connection.json` before anything private is sent. The
 * address proves nothing: if that server is down, a tunnel may end there. Only a random challenge is sent, neither token
 * nor secret.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { HEX_64, IDENTITY_PATH, portOf, proofText } from '../../../core/settings/connection-file';

export type Proof =
  | { type: 'proven'; server: string }
  /** Nothing answered. `reason` is a clause. */
  | { type: 'away'; reason: string }
  /** Something else answers, or the server is broken. `reason` is a clause. */
  | { type: 'unproven'; reason: string };

export interface PendingProof {
  /** Never rejects. */
  result: Promise<Proof>;
  /** Whether it keeps the process alive; default true. */
  keepAlive(on: boolean): void;
  /** Cancel the request. */
  drop(): void;
}

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_CHARACTERS = 10_000;
const CHALLENGE_BYTES = 32;

/** The HTTP address of a path of the server. @param url any scheme, with or without a base path. */
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
  let line: Socket | null = null;
  let isAlive = true;
  let isAnswered = false;
  const apply = () => {
    if (isAlive) line?.ref();
    else line?.unref();
    if (isAlive) timer.ref();
    else timer.unref();
  };
  const request: ClientRequest = (address.startsWith('https:') ? requestHttps : requestHttp)(address, {
    method: 'POST',
    // A connection of its own, closed with the answer.
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  const timer = setTimeout(
    () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  const result = new Promise<Proof>((resolve) => {
    request.on('error', (error) => resolve({ type: 'away', reason: describe(error) }));
    request.on('socket', (socket) => {
      line = socket;
      apply();
    });
    request.on('close', () => {
      if (!isAnswered) resolve({ type: 'away', reason: 'the connection was closed' });
    });
    request.on('response', (response) => {
      isAnswered = true;
      readText(response).then(
        (text) => resolve(judge(response.statusCode ?? 0, text, { url, secret, challenge })),
        (error: unknown) => resolve({ type: 'away', reason: describe(error) }),
      );
    });
    request.end(body);
  }).finally(() => clearTimeout(timer));
  return {
    result,
    keepAlive(on) {
      isAlive = on;
      apply();
    },
    drop: () => request.destroy(),
  };
}

/** As `beginProof`, awaited. */
export function proveServer(url: string, secret: string, timeoutMs?: number): Promise<Proof> {
  return beginProof(url, secret, timeoutMs).result;
}

interface Asked {
  url: string;
  secret: string;
  challenge: string;
}

function judge(status: number, text: string, { url, secret, challenge }: Asked): Proof {
  const { server, proof } = fieldsOf(text);
  if (status >= 500) return { type: 'away', reason: `it answers with status ${status}` };
  const isAnswer =
    status === 200 && typeof server === 'string' && typeof proof === 'string' && HEX_64.test(proof);
  if (isAnswer) {
    const expected = createHmac('sha256', secret)
      .update(proofText({ challenge, server, port: portOf(url) }))
      .digest();
    if (timingSafeEqual(expected, Buffer.from(proof, 'hex'))) return { type: 'proven', server };
  }
  return {
    type: 'unproven',
    reason: `what answers at ${new URL(httpAddress(url, '/')).origin} is not the server of this machine`,
  };
}

function fieldsOf(text: string): { server?: unknown; proof?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
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

/** Node reports several refused addresses as one error without a message. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (error as NodeJS.ErrnoException).code || 'the connection failed';
}
