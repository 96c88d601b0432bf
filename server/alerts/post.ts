/** Sends one HTTP request of a message. No redirect is followed, because it could lead to a private address. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AlertRequest } from '../../core/alerts/requests';
import { resolvePublic } from './guard-address';

export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';

  constructor(
    message: string,
    /** The receiver refused the message as such, so an equal attempt would be refused again. */
    readonly isFinal = false,
    /** Milliseconds that the receiver asks to wait. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

export interface PostOptions {
  allowPrivate: boolean;
  /** For the name, the connection and the answer together, milliseconds. */
  timeoutMs: number;
}

/** Statuses of the range 400–499 that a later attempt may not get. */
const TEMPORARY = new Set([408, 409, 423, 425, 429]);

/** @throws DeliveryError, PrivateAddressError, or an error of the connection */
export async function post({ url, headers, body }: AlertRequest, options: PostOptions): Promise<void> {
  const signal = AbortSignal.timeout(options.timeoutMs);
  const target = new URL(url);
  const { address, family } = await Promise.race([
    resolvePublic(target.hostname, options.allowPrivate),
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(timedOut()))),
  ]);
  const { status, retryAfter } = await new Promise<{ status: number; retryAfter: string | undefined }>(
    (resolve, reject) => {
      const send = target.protocol === 'https:' ? requestHttps : requestHttp;
      const request = send(
        target,
        {
          method: 'POST',
          headers: { ...headers, 'Content-Length': Buffer.byteLength(body), 'User-Agent': 'Barograph' },
          agent: false,
          signal,
          // The checked address, under the name that the certificate must have.
          lookup: (_host, { all }, done) => {
            if (all) (done as unknown as (e: null, a: object[]) => void)(null, [{ address, family }]);
            else done(null, address, family);
          },
        },
        (response) => {
          // The answer's body is not needed, and may be endless.
          response.destroy();
          resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
        },
      );
      request.on('error', (error) => reject(signal.aborted ? timedOut() : error));
      request.end(body);
    },
  );
  if (status >= 200 && status < 300) return;
  const words =
    status >= 300 && status < 400 ? `a redirect (${status}), which is not followed` : `status ${status}`;
  throw new DeliveryError(
    `The receiver answered ${words}.`,
    status >= 300 && status < 500 && !TEMPORARY.has(status),
    pauseOf(retryAfter),
  );
}

/** Milliseconds of `Retry-After`, which is a number of seconds or a date; null: neither. */
function pauseOf(retryAfter = ''): number | null {
  const pause = /^\d{1,5}$/.test(retryAfter)
    ? Number(retryAfter) * 1_000
    : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(pause) ? null : pause;
}

const timedOut = () => new DeliveryError('The receiver did not respond in time.');
