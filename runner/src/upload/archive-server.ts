/**
 * The archive endpoints of a server, one call each. It owns nothing: who calls decides what to try again.
 */
import type { ArchiveOffer, ArchiveProgress } from '../../../core/api/transcripts';
import { IDENTITY_PATH } from '../../../core/settings/connection-file';
import { httpAddress } from '../proof/http-address';
import { proveServer } from '../proof/prove-server';
import { describeError, kindOfRefusal, UploadFailure } from './upload-failure';

export interface ArchiveServer {
  /** http, https, ws or wss, with or without a base path. */
  url: string;
  /** Token of scope `ingest`. */
  token: string | null;
  /** What a server of this machine has to prove that it knows; null or absent: it is taken for what it says. */
  secret?: string | null;
}

export interface CallTiming {
  /** Milliseconds for one call. */
  callMs: number;
  /** For the end of a hand-over, in which the server reads everything back. */
  completeMs: number;
}

export const CALL_TIMING: CallTiming = { callMs: 60_000, completeMs: 600_000 };

/** A line that is in use is the same server's; a pause longer than this is long enough for another one. */
const PROOF_HOLDS_MS = 1_000;

export class ArchiveEndpoints {
  readonly #server: ArchiveServer;
  readonly #timing: CallTiming;
  readonly #signal: AbortSignal | undefined;
  /** When the server was last known to be the one it is to be, by `performance.now()`. */
  #provenAt = Number.NEGATIVE_INFINITY;

  constructor(server: ArchiveServer, timing: CallTiming = CALL_TIMING, signal?: AbortSignal) {
    this.#server = server;
    this.#timing = timing;
    this.#signal = signal;
  }

  /**
   * Who the server is: the id of its database; null where it is of a version that does not say.
   * @throws UploadFailure `later` where a server of this machine is expected, and this is none.
   */
  async identify(): Promise<string | null> {
    if (this.#server.secret) return this.#prove(this.#server.secret);
    const text = await this.#send('GET', IDENTITY_PATH, this.#timing.callMs, { headers: {} }, false).catch(
      (error: unknown) => {
        if (error instanceof UploadFailure && error.status !== null && error.kind !== 'again') return '';
        throw error;
      },
    );
    return serverIn(text);
  }

  /** @throws UploadFailure, as each call here; the signal's reason once it is aborted. */
  async offer(offer: ArchiveOffer): Promise<ArchiveProgress> {
    return readProgress(
      await this.#call('POST', '/v1/archives', this.#timing.callMs, json(JSON.stringify(offer))),
    );
  }

  /** @param gzipped the chunk's bytes, compressed. */
  async putChunk(archive: string, sha256: string, gzipped: Buffer<ArrayBuffer>): Promise<void> {
    await this.#call('PUT', `/v1/archives/${archive}/chunks/${sha256}`, this.#timing.callMs, {
      body: gzipped,
      headers: { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' },
    });
  }

  async complete(archive: string): Promise<ArchiveProgress> {
    return readProgress(
      await this.#call('POST', `/v1/archives/${archive}/complete`, this.#timing.completeMs, json('{}')),
    );
  }

  async #call(method: string, path: string, timeoutMs: number, content: Content): Promise<string> {
    const { secret } = this.#server;
    if (secret && performance.now() - this.#provenAt > PROOF_HOLDS_MS) await this.#prove(secret);
    try {
      const text = await this.#send(method, path, timeoutMs, content, true);
      this.#provenAt = secret ? performance.now() : this.#provenAt;
      return text;
    } catch (error) {
      // Who answers the next call may be somebody else.
      this.#provenAt = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  async #prove(secret: string): Promise<string> {
    this.#signal?.throwIfAborted();
    const proof = await proveServer(this.#server.url, secret);
    this.#signal?.throwIfAborted();
    if (proof.type === 'away') throw new UploadFailure('again', proof.reason);
    if (proof.type === 'unproven') throw new UploadFailure('later', `${proof.reason}: it was sent nothing`);
    this.#provenAt = performance.now();
    return proof.server;
  }

  async #send(
    method: string,
    path: string,
    timeoutMs: number,
    content: Content,
    showsToken: boolean,
  ): Promise<string> {
    this.#signal?.throwIfAborted();
    const { url, token } = this.#server;
    const authorization = token === null || !showsToken ? {} : { authorization: `Bearer ${token}` };
    const ended = AbortSignal.timeout(timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await fetch(httpAddress(url, path), {
        method,
        ...(content.body === undefined ? {} : { body: content.body }),
        headers: { ...content.headers, ...authorization },
        signal: this.#signal === undefined ? ended : AbortSignal.any([ended, this.#signal]),
        // What a transcript holds goes to the server that was named, and to no other.
        redirect: 'manual',
      });
      text = await response.text();
    } catch (error) {
      this.#signal?.throwIfAborted();
      const reason = ended.aborted ? `no answer within ${timeoutMs / 1000} s` : describeError(error);
      throw new UploadFailure('again', reason);
    }
    if (response.ok) return text;
    const { status, headers } = response;
    const retryAfterMs = readRetryAfter(headers.get('retry-after'));
    const { code, reason } = refusalIn(text);
    throw new UploadFailure(kindOfRefusal(status, code), reason ?? `status ${status}`, {
      retryAfterMs,
      status,
      code,
    });
  }
}

interface Content {
  body?: string | Buffer<ArrayBuffer>;
  headers: Record<string, string>;
}

function json(body: string): Content {
  return { body, headers: { 'content-type': 'application/json' } };
}

function readRetryAfter(value: string | null): number | null {
  const seconds = Number(value ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? 1000 * seconds : null;
}

/** Null where the answer does not say which server it is. */
function serverIn(text: string): string | null {
  try {
    const { server } = JSON.parse(text) as { server?: unknown };
    return typeof server === 'string' && UUID.test(server) ? server : null;
  } catch {
    return null;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_REASON_LENGTH = 300;

function refusalIn(text: string): { code: string | null; reason: string | null } {
  try {
    const { code, reason } = JSON.parse(text) as { code?: unknown; reason?: unknown };
    return {
      code: typeof code === 'string' ? code : null,
      reason: typeof reason === 'string' && reason !== '' ? reason.slice(0, MAX_REASON_LENGTH) : null,
    };
  } catch {
    return { code: null, reason: null };
  }
}

/** Read by hand: this runs beside agents, where no package may be needed. @throws UploadFailure */
function readProgress(text: string): ArchiveProgress {
  try {
    const { archive, id, state, missing, verifiedAt } = JSON.parse(text) as Record<string, unknown>;
    const isSound =
      typeof archive === 'string' &&
      typeof id === 'string' &&
      (state === 'uploading' || state === 'stored') &&
      Array.isArray(missing) &&
      missing.every((sha256) => typeof sha256 === 'string');
    if (isSound) {
      return {
        archive,
        id,
        state,
        missing: missing as string[],
        verifiedAt: typeof verifiedAt === 'string' ? verifiedAt : null,
      };
    }
  } catch {
    // No JSON at all.
  }
  throw new UploadFailure('later', 'its answer is none that this version understands');
}
