/** Asks a server for its version and whether it accepts a token, without sending data. */
import { z } from 'zod';
import { httpAddress, proveServer } from '../proof/prove-server';
import { describeError } from '../upload/archive-server';

export type Probe =
  | { type: 'unreachable'; reason: string }
  /** Another program answers. */
  | { type: 'stranger'; status: number }
  | {
      type: 'answered';
      healthy: boolean;
      version: string;
      /** Milliseconds. */
      tookMs: number;
      /** The server's clock minus this one's, milliseconds; null without a Date header. */
      clockSkewMs: number | null;
    };

export type TokenProbe =
  | { type: 'good'; name: string; scope: string }
  | { type: 'refused'; status: number; reason: string }
  /** It cannot prove to be the server of this machine; the token was not sent. */
  | { type: 'stranger'; reason: string }
  | { type: 'unknown'; reason: string };

const TIMEOUT_MS = 5_000;
const health = z.object({ status: z.string(), version: z.string() });
const aboutToken = z.object({ token: z.object({ name: z.string(), scope: z.string() }) });
const errorBody = z.object({ reason: z.string() });

export async function probeServer(url: string, now: () => number): Promise<Probe> {
  const began = now();
  let response: Response;
  try {
    response = await fetch(httpAddress(url, '/healthz'), { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    return { type: 'unreachable', reason: describeFailure(error) };
  }
  const ended = now();
  const body = health.safeParse(await response.json().catch(() => null));
  if (!body.success) return { type: 'stranger', status: response.status };
  const date = Date.parse(response.headers.get('date') ?? '');
  // The header is truncated to seconds: half a second behind on average.
  const clockSkewMs = Number.isFinite(date) ? date + 500 - (began + ended) / 2 : null;
  const { version } = body.data;
  return { type: 'answered', healthy: response.ok, version, tookMs: ended - began, clockSkewMs };
}

/** @param secret what a server on this machine must prove to know before the token is sent. */
export async function probeToken(url: string, token: string, secret: string | null): Promise<TokenProbe> {
  try {
    const proof = secret === null ? null : await proveServer(url, secret, TIMEOUT_MS);
    if (proof?.type === 'away') return { type: 'unknown', reason: proof.reason };
    if (proof?.type === 'unproven') return { type: 'stranger', reason: proof.reason };
    const response = await fetch(httpAddress(url, '/v1/ingest'), {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    const body: unknown = await response.json().catch(() => null);
    const good = aboutToken.safeParse(body);
    if (response.ok && good.success) return { type: 'good', ...good.data.token };
    const { data } = errorBody.safeParse(body);
    return { type: 'refused', status: response.status, reason: data?.reason ?? `status ${response.status}` };
  } catch (error) {
    return { type: 'unknown', reason: describeFailure(error) };
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `no answer within ${TIMEOUT_MS / 1000} s`;
  return describeError(error);
}
