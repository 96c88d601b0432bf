/** Asks a server for its version and whether it accepts the token, without sending data. */
import { z } from 'zod';
import { httpAddress, proveServer } from '../proof/prove-server';
import type { RunnerSettings } from '../settings';
import { describeError } from '../upload/archive-server';
import { noServer } from './connection';

export interface Finding {
  state: 'ok' | 'note' | 'wrong';
  topic: string;
  text: string;
  remedy?: string;
}

const TIMEOUT_MS = 5_000;
/** Beyond this the server replaces the time of live items by its own. */
const SKEW_BOUND_MS = 300_000;
const SKEW_NOTE_MS = 5_000;
const health = z.object({ status: z.string(), version: z.string() });
const aboutToken = z.object({ token: z.object({ name: z.string(), scope: z.string() }) });
const errorBody = z.object({ reason: z.string() });

export async function examineServer(settings: RunnerSettings, now: () => number): Promise<Finding[]> {
  const { url, origin, dataFolder } = settings;
  const topic = 'server';
  if (url === null) return [{ state: 'wrong', topic, text: 'unknown', remedy: noServer(dataFolder) }];
  const address: Finding = { state: 'ok', topic: 'address', text: `${url} (from ${origin.url})` };
  const began = now();
  let response: Response;
  try {
    response = await fetch(httpAddress(url, '/healthz'), { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const remedy =
      'Start it (`npm start` in its folder), or correct the address with BAROGRAPH_URL or --url.';
    return [address, { state: 'wrong', topic, text: `does not answer: ${describeFailure(error)}`, remedy }];
  }
  const ended = now();
  const { data: body } = health.safeParse(await response.json().catch(() => null));
  if (body === undefined) {
    const text = `something answers with status ${response.status}, and is not Barograph`;
    return [address, { state: 'wrong', topic, text, remedy: 'Check the port in the address.' }];
  }
  const server: Finding = response.ok
    ? { state: 'ok', topic, text: `Barograph ${body.version}, answered in ${ended - began} ms` }
    : {
        state: 'wrong',
        topic,
        text: `Barograph ${body.version} answers, but its database does not`,
        remedy: "Check the server's log. Runners keep everything on disk meanwhile.",
      };
  const date = Date.parse(response.headers.get('date') ?? '');
  // The header is truncated to seconds: half a second behind on average.
  const clock = Number.isNaN(date) ? [] : [examineClock(date + 500 - (began + ended) / 2)];
  return [address, server, ...clock, await examineToken(url, settings)];
}

/** @param skewMs the server's clock minus this one's. */
function examineClock(skewMs: number): Finding {
  const topic = 'clock';
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) < SKEW_NOTE_MS) return { state: 'ok', topic, text: 'agrees with the server' };
  const text = `this machine is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} the server`;
  if (Math.abs(skewMs) < SKEW_BOUND_MS) return { state: 'note', topic, text };
  const remedy = "Set the clock (NTP): beyond 5 minutes, live items get the server's time.";
  return { state: 'wrong', topic, text, remedy };
}

async function examineToken(url: string, { token, secret, origin }: RunnerSettings): Promise<Finding> {
  const topic = 'token';
  const remedy =
    "Create one on the server's machine: `npm run token -- --name NAME --scope ingest`, then set BAROGRAPH_TOKEN.";
  if (token === null) return { state: 'wrong', topic, text: 'none', remedy };
  // The end of a token, enough to recognise it.
  const name = `${token.length <= 8 ? '…' : `…${token.slice(-4)}`} (from ${origin.token})`;
  const unchecked = (reason: string): Finding => ({
    state: 'note',
    topic,
    text: `${name}: not checked, ${reason}`,
  });
  try {
    const proof = secret === null ? null : await proveServer(url, secret, TIMEOUT_MS);
    if (proof?.type === 'away') return unchecked(proof.reason);
    if (proof?.type === 'unproven') {
      const way = 'Start the server on this machine; for another one set BAROGRAPH_URL and BAROGRAPH_TOKEN.';
      return { state: 'wrong', topic, text: `${name}: not sent: ${proof.reason}`, remedy: way };
    }
    const response = await fetch(httpAddress(url, '/v1/ingest'), {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    const body: unknown = await response.json().catch(() => null);
    const good = aboutToken.safeParse(body).data?.token;
    if (response.ok && good)
      return { state: 'ok', topic, text: `${name}: "${good.name}", scope ${good.scope}` };
    const reason = errorBody.safeParse(body).data?.reason ?? `status ${response.status}`;
    return { state: 'wrong', topic, text: `${name}: refused: ${reason}`, remedy };
  } catch (error) {
    return unchecked(describeFailure(error));
  }
}

function describeFailure(error: unknown): string {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return isTimeout ? `no answer within ${TIMEOUT_MS / 1000} s` : describeError(error);
}
