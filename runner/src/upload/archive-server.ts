/** The archive endpoints of a server, one method each. A temporary failure is retried. */
import { parseFields } from '../../../core/agents/fields';
import type { ArchiveOffer, ArchiveProgress } from '../../../core/api/transcripts';
import { IDENTITY_PATH } from '../../../core/settings/connection-file';
import { messageOf } from '../guard';
import { httpAddress, proveServer } from '../proof/prove-server';
import { type RetryOptions, retry, TIMING, UploadFailure } from './retry';

export interface ArchiveServer {
  /** http, https, ws or wss, with or without a base path. */
  url: string;
  /** Token of scope `ingest`. */
  token: string | null;
  /** A server on this machine must prove that it knows this secret. Null or absent: the address is trusted. */
  secret?: string | null;
}

export interface UploadOptions extends RetryOptions {
  timing?: Partial<typeof TIMING>;
  onProgress?(progress: { bytes: number; totalBytes: number }): void;
}

/** Maximum age of a proof: after a longer pause, another program may have taken the port. */
const PROOF_VALID_MS = 1_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_REASON_LENGTH = 300;
const JSON_TYPE = { 'content-type': 'application/json' };

interface Call {
  body?: string | Buffer<ArrayBuffer>;
  headers?: Record<string, string>;
  timeoutMs?: number;
  /** Whether the request carries the token. Default true. */
  isTrusted?: boolean;
}

/** The methods throw UploadFailure, or the signal's reason once the signal is aborted. */
export class ArchiveEndpoints {
  readonly server: ArchiveServer;
  readonly timing: typeof TIMING;
  readonly #options: UploadOptions;
  /** Time of the last proof or answer of the server, by `performance.now()`. */
  #provenAt = Number.NEGATIVE_INFINITY;

  constructor(server: ArchiveServer, options: UploadOptions = {}) {
    this.server = server;
    this.timing = { ...TIMING, ...options.timing };
    this.#options = options;
  }

  identify(): Promise<string> {
    const { secret, url } = this.server;
    return this.#retry(async () => {
      if (secret) return this.#prove(secret);
      const { server } = parseFields(await this.#send('GET', IDENTITY_PATH, { isTrusted: false })) ?? {};
      if (typeof server === 'string' && UUID.test(server)) return server;
      throw new UploadFailure('later', `${url} is not a Barograph server`);
    });
  }

  async offer(offer: ArchiveOffer): Promise<ArchiveProgress> {
    const body = JSON.stringify(offer);
    return readProgress(await this.#call('POST', '', { body, headers: JSON_TYPE }));
  }

  async putChunk(archive: string, sha256: string, gzipped: Buffer<ArrayBuffer>): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' };
    await this.#call('PUT', `/${archive}/chunks/${sha256}`, { body: gzipped, headers });
  }

  async complete(archive: string): Promise<ArchiveProgress> {
    const call = { body: '{}', headers: JSON_TYPE, timeoutMs: this.timing.completeMs };
    return readProgress(await this.#call('POST', `/${archive}/complete`, call));
  }

  #retry<T>(step: () => Promise<T>): Promise<T> {
    return retry(step, this.timing, this.#options);
  }

  #call(method: string, path: string, call: Call): Promise<string> {
    return this.#retry(async () => {
      const { secret } = this.server;
      if (secret && performance.now() - this.#provenAt > PROOF_VALID_MS) await this.#prove(secret);
      try {
        const text = await this.#send(method, `/v1/archives${path}`, call);
        if (secret) this.#provenAt = performance.now();
        return text;
      } catch (error) {
        this.#provenAt = Number.NEGATIVE_INFINITY;
        throw error;
      }
    });
  }

  async #prove(secret: string): Promise<string> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const proof = await proveServer(this.server.url, secret);
    signal?.throwIfAborted();
    if (proof.type === 'away') throw new UploadFailure('again', proof.reason);
    if (proof.type === 'unproven') throw new UploadFailure('later', `${proof.reason}: nothing was sent`);
    this.#provenAt = performance.now();
    return proof.server;
  }

  async #send(
    method: string,
    path: string,
    { body, headers = {}, timeoutMs = this.timing.callMs, isTrusted = true }: Call,
  ): Promise<string> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const { url, token } = this.server;
    const ended = AbortSignal.timeout(timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await fetch(httpAddress(url, path), {
        method,
        body: body ?? null,
        headers: token === null || !isTrusted ? headers : { ...headers, authorization: `Bearer ${token}` },
        signal: signal === undefined ? ended : AbortSignal.any([ended, signal]),
        // Transcripts go to the named server only.
        redirect: 'manual',
      });
      text = await response.text();
    } catch (error) {
      signal?.throwIfAborted();
      const reason = ended.aborted ? `no answer within ${timeoutMs / 1000} s` : messageOf(error);
      throw new UploadFailure('again', reason);
    }
    if (response.ok) return text;
    const { status } = response;
    const { code, reason } = parseFields(text) ?? {};
    const stated = typeof reason === 'string' ? reason.slice(0, MAX_REASON_LENGTH) : '';
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    throw UploadFailure.ofAnswer(stated || `status ${status}`, {
      status,
      code: typeof code === 'string' ? code : null,
      retryAfterMs: seconds >= 0 && Number.isFinite(seconds) ? 1000 * seconds : null,
    });
  }
}

/** Without zod: `barograph/archive` needs no package. @throws UploadFailure */
function readProgress(text: string): ArchiveProgress {
  const { archive, id, state, missing, verifiedAt } = parseFields(text) ?? {};
  const isValid =
    typeof archive === 'string' &&
    typeof id === 'string' &&
    (state === 'uploading' || state === 'stored') &&
    Array.isArray(missing) &&
    missing.every((sha256) => typeof sha256 === 'string');
  if (!isValid) throw new UploadFailure('later', 'this version does not understand the answer');
  return { archive, id, state, missing, verifiedAt: typeof verifiedAt === 'string' ? verifiedAt : null };
}
