/**
 * The archive endpoints of a server, one call each. It owns nothing: who calls decides what to try again.
 */
import type { ArchiveOffer, ArchiveProgress } from '../../../core/api/transcripts';
import { describeError, kindOfStatus, UploadFailure } from './upload-failure';

export interface ArchiveServer {
  /** http, https, ws or wss, with or without a base path. */
  url: string;
  /** Token of scope `ingest`. */
  token: string | null;
}

export interface CallTiming {
  /** Milliseconds for one call. */
  callMs: number;
  /** For the end of a hand-over, in which the server reads everything back. */
  completeMs: number;
}

export const CALL_TIMING: CallTiming = { callMs: 60_000, completeMs: 600_000 };

export class ArchiveEndpoints {
  readonly #server: ArchiveServer;
  readonly #timing: CallTiming;
  readonly #signal: AbortSignal | undefined;

  constructor(server: ArchiveServer, timing: CallTiming = CALL_TIMING, signal?: AbortSignal) {
    this.#server = server;
    this.#timing = timing;
    this.#signal = signal;
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
    this.#signal?.throwIfAborted();
    const { url, token } = this.#server;
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const ended = AbortSignal.timeout(timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await fetch(httpAddress(url, path), {
        method,
        body: content.body,
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
    throw new UploadFailure(kindOfStatus(status), reasonIn(text) ?? `status ${status}`, {
      retryAfterMs,
      status,
    });
  }
}

interface Content {
  body: string | Buffer<ArrayBuffer>;
  headers: Record<string, string>;
}

function json(body: string): Content {
  return { body, headers: { 'content-type': 'application/json' } };
}

/** The address of a path of the server, whatever scheme and base path it was given with. */
function httpAddress(url: string, path: string): string {
  const parsed = new URL(url);
  const base = parsed.pathname.replace(/\/+$/, '').replace(/\/v1\/ingest$/, '');
  return `${parsed.protocol.replace(/^ws/, 'http')}//${parsed.host}${base}${path}`;
}

function readRetryAfter(value: string | null): number | null {
  const seconds = Number(value ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? 1000 * seconds : null;
}

const MAX_REASON_LENGTH = 300;

function reasonIn(text: string): string | null {
  try {
    const { reason } = JSON.parse(text) as { reason?: unknown };
    return typeof reason === 'string' && reason !== '' ? reason.slice(0, MAX_REASON_LENGTH) : null;
  } catch {
    return null;
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
