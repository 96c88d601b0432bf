/** The archive endpoints of a server, one HTTP call each. Callers decide what to retry. */
import type { ArchiveOffer, ArchiveProgress } from '../../../core/api/transcripts';
import { IDENTITY_PATH } from '../../../core/settings/connection-file';
import { httpAddress, proveServer } from '../proof/prove-server';

export interface ArchiveServer {
  /** http, https, ws or wss, with or without a base path. */
  url: string;
  /** Token of scope `ingest`. */
  token: string | null;
  /** Secret that a server on this machine must prove to know; null or absent: the address is trusted. */
  secret?: string | null;
}

export interface CallTiming {
  /** Timeout of one call, milliseconds. */
  callMs: number;
  /** Timeout of completing an archive, which the server reads back. */
  completeMs: number;
}

export const CALL_TIMING: CallTiming = { callMs: 60_000, completeMs: 600_000 };

/** After a longer pause another program may have taken the port. */
const PROOF_VALID_MS = 1_000;

export class ArchiveEndpoints {
  readonly #server: ArchiveServer;
  readonly #timing: CallTiming;
  readonly #signal: AbortSignal | undefined;
  /** When the server last proved its identity, by `performance.now()`. */
  #provenAt = Number.NEGATIVE_INFINITY;

  constructor(server: ArchiveServer, timing: CallTiming = CALL_TIMING, signal?: AbortSignal) {
    this.#server = server;
    this.#timing = timing;
    this.#signal = signal;
  }

  /**
   * The id of the server's database; null for a server that does not report one.
   * @throws UploadFailure `later` if a server on this machine cannot prove its identity.
   */
  async identify(): Promise<string | null> {
    if (this.#server.secret) return this.#prove(this.#server.secret);
    try {
      const { server } = parse(await this.#send('GET', IDENTITY_PATH, { sendsToken: false }));
      return typeof server === 'string' && UUID.test(server) ? server : null;
    } catch (error) {
      if (error instanceof UploadFailure && error.status !== null && error.kind !== 'again') return null;
      throw error;
    }
  }

  /** @throws UploadFailure, as each call here; the signal's reason once it is aborted. */
  async offer(offer: ArchiveOffer): Promise<ArchiveProgress> {
    return readProgress(await this.#call('POST', '/v1/archives', json(JSON.stringify(offer))));
  }

  /** @param gzipped the chunk's bytes, compressed. */
  async putChunk(archive: string, sha256: string, gzipped: Buffer<ArrayBuffer>): Promise<void> {
    await this.#call('PUT', `/v1/archives/${archive}/chunks/${sha256}`, {
      body: gzipped,
      headers: { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' },
    });
  }

  async complete(archive: string): Promise<ArchiveProgress> {
    const request = { ...json('{}'), timeoutMs: this.#timing.completeMs };
    return readProgress(await this.#call('POST', `/v1/archives/${archive}/complete`, request));
  }

  async #call(method: string, path: string, request: ArchiveRequest): Promise<string> {
    const { secret } = this.#server;
    if (secret && performance.now() - this.#provenAt > PROOF_VALID_MS) await this.#prove(secret);
    try {
      const text = await this.#send(method, path, request);
      if (secret) this.#provenAt = performance.now();
      return text;
    } catch (error) {
      this.#provenAt = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  async #prove(secret: string): Promise<string> {
    this.#signal?.throwIfAborted();
    const proof = await proveServer(this.#server.url, secret);
    this.#signal?.throwIfAborted();
    if (proof.type === 'away') throw new UploadFailure('again', proof.reason);
    if (proof.type === 'unproven') throw new UploadFailure('later', `${proof.reason}: nothing was sent`);
    this.#provenAt = performance.now();
    return proof.server;
  }

  async #send(method: string, path: string, request: ArchiveRequest): Promise<string> {
    this.#signal?.throwIfAborted();
    const { url, token } = this.#server;
    const { body, headers, timeoutMs = this.#timing.callMs, sendsToken = true } = request;
    const ended = AbortSignal.timeout(timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await fetch(httpAddress(url, path), {
        method,
        ...(body === undefined ? {} : { body }),
        headers: {
          ...headers,
          ...(token === null || !sendsToken ? {} : { authorization: `Bearer ${token}` }),
        },
        signal: this.#signal === undefined ? ended : AbortSignal.any([ended, this.#signal]),
        // Transcripts go to the named server only.
        redirect: 'manual',
      });
      text = await response.text();
    } catch (error) {
      this.#signal?.throwIfAborted();
      const reason = ended.aborted ? `no answer within ${timeoutMs / 1000} s` : describeError(error);
      throw new UploadFailure('again', reason);
    }
    if (response.ok) return text;
    const { status, headers: answered } = response;
    const { code, reason } = parse(text);
    const isCode = typeof code === 'string' ? code : null;
    const isReason = typeof reason === 'string' && reason !== '';
    throw new UploadFailure(
      kindOfRefusal(status, isCode),
      isReason ? reason.slice(0, MAX_REASON_LENGTH) : `status ${status}`,
      { retryAfterMs: readRetryAfter(answered.get('retry-after')), status, code: isCode },
    );
  }
}

interface ArchiveRequest {
  body?: string | Buffer<ArrayBuffer>;
  headers?: Record<string, string>;
  timeoutMs?: number;
  /** Default true. */
  sendsToken?: boolean;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_REASON_LENGTH = 300;

function json(body: string): ArchiveRequest {
  return { body, headers: { 'content-type': 'application/json' } };
}

function readRetryAfter(value: string | null): number | null {
  const seconds = Number(value ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? 1000 * seconds : null;
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Without zod: `barograph/archive` needs no package. @throws UploadFailure */
function readProgress(text: string): ArchiveProgress {
  const { archive, id, state, missing, verifiedAt } = parse(text);
  const isValid =
    typeof archive === 'string' &&
    typeof id === 'string' &&
    (state === 'uploading' || state === 'stored') &&
    Array.isArray(missing) &&
    missing.every((sha256) => typeof sha256 === 'string');
  if (!isValid) throw new UploadFailure('later', 'the answer is not one that this version understands');
  return { archive, id, state, missing, verifiedAt: typeof verifiedAt === 'string' ? verifiedAt : null };
}

/** `again`: retry soon. `later`: someone must act first, the archive waits. `final`: never; the archive is given up. */
export type FailureKind = 'again' | 'later' | 'final';

type FailureFacts = Pick<UploadFailure, 'retryAfterMs' | 'status' | 'code'>;

/** Why a step of an upload failed. */
export class UploadFailure extends Error {
  override readonly name = 'UploadFailure';
  readonly kind: FailureKind;
  /** The server's `Retry-After`, milliseconds; null if there was none. */
  readonly retryAfterMs: number | null;
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** The server's error code; null if it gave none. */
  readonly code: string | null;

  constructor(
    kind: FailureKind,
    reason: string,
    { retryAfterMs = null, status = null, code = null }: Partial<FailureFacts> = {},
  ) {
    super(reason);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.status = status;
    this.code = code;
  }

  /** The project has no room; archives of other projects may still fit. */
  get isProjectFull(): boolean {
    return NO_ROOM.has(this.code ?? '');
  }

  /** The server does not accept archives at all. */
  get isUnsupported(): boolean {
    return this.status !== null && UNSUPPORTED.has(this.status);
  }
}

/** Codes of a project without room: a higher limit, a deletion or retention makes room later. */
const NO_ROOM = new Set(['too_many', 'project_full']);
const AGAIN = new Set([408, 425, 429]);
const LATER = new Set([401, 403, 404, 405, 426, 501]);
const UNSUPPORTED = new Set([404, 405, 501]);

function kindOfRefusal(status: number, code: string | null): FailureKind {
  // Redirections are unexpected, and no reason to give an archive up.
  if (NO_ROOM.has(code ?? '') || status < 400 || LATER.has(status)) return 'later';
  return status >= 500 || AGAIN.has(status) ? 'again' : 'final';
}

/** The file no longer has the bytes that were archived. */
export function changed(): UploadFailure {
  return new UploadFailure('final', 'the file is no longer what was archived');
}

/** Any error as a sentence for people. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // Node reports several refused addresses as one error without a message.
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  return inner instanceof Error && inner.message !== '' ? inner.message : error.message;
}
