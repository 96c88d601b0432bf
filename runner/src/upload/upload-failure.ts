/**
 * Why a step of a hand-over did not work. `again`: it may work in a moment. `later`: its owner has to do something
 * first, so the archive waits. `final`: never; the archive is given up with its reason.
 */
export type FailureKind = 'again' | 'later' | 'final';

type FailureFacts = Pick<UploadFailure, 'retryAfterMs' | 'status' | 'code'>;

export class UploadFailure extends Error {
  readonly kind: FailureKind;
  /** What the server asked for, milliseconds; null where it did not. */
  readonly retryAfterMs: number | null;
  /** HTTP status; null where there was no answer, or none is meant. */
  readonly status: number | null;
  /** The server's word for it; null where it gave none. */
  readonly code: string | null;

  constructor(
    kind: FailureKind,
    reason: string,
    { retryAfterMs = null, status = null, code = null }: Partial<FailureFacts> = {},
  ) {
    super(reason);
    this.name = 'UploadFailure';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.status = status;
    this.code = code;
  }
}

/** How a refusal of the archive endpoints is to be taken; see `archiveOffer` of the API. */
export function kindOfRefusal(status: number, code: string | null): FailureKind {
  // Room comes with a higher limit, a deletion or retention.
  if (NO_ROOM.has(code ?? '')) return 'later';
  // What should not come at all, as a redirection, is no reason to give an archive up.
  if (status < 400 || LATER.has(status)) return 'later';
  return status >= 500 || AGAIN.has(status) ? 'again' : 'final';
}

/** Codes of a project that has no room for any further archive now. */
const NO_ROOM: ReadonlySet<string> = new Set(['too_many', 'project_full']);
const AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);
const LATER: ReadonlySet<number> = new Set([401, 403, 404, 405, 426, 501]);
const UNSUPPORTED: ReadonlySet<number> = new Set([404, 405, 501]);

/** Whether the server is of a version that takes no archives. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof UploadFailure && error.status !== null && UNSUPPORTED.has(error.status);
}

/** Whether it may work in a moment: the server is away, or busy, or its database is. */
export function isPassing(error: unknown): boolean {
  return error instanceof UploadFailure && error.kind === 'again';
}

/** Whether it is the project that has no room: those of other projects may be taken. */
export function isProjectFull(error: unknown): error is UploadFailure {
  return error instanceof UploadFailure && NO_ROOM.has(error.code ?? '');
}

/** Whether the server had it and deleted it: what is gone on purpose is nobody's failure. */
export function isDeletedThere(error: unknown): boolean {
  return error instanceof UploadFailure && error.status === 410;
}

/** The bytes are no longer what they were when they were archived. */
export function changed(): UploadFailure {
  return new UploadFailure('final', 'the file is no longer what was archived');
}

/** Any error as a sentence for a person. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // Several addresses that all refuse come as one error without a message.
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  return inner instanceof Error && inner.message !== '' ? inner.message : error.message;
}
