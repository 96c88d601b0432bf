/**
 * Why a step of a hand-over did not work. `again`: it may work in a moment. `later`: its owner has to do something
 * first, so the archive waits. `final`: never; the archive is given up with its reason.
 */
export type FailureKind = 'again' | 'later' | 'final';

export class UploadFailure extends Error {
  readonly kind: FailureKind;
  /** What the server asked for, milliseconds; null where it did not. */
  readonly retryAfterMs: number | null;
  /** HTTP status; null where there was no answer, or none is meant. */
  readonly status: number | null;

  constructor(
    kind: FailureKind,
    reason: string,
    { retryAfterMs = null, status = null }: { retryAfterMs?: number | null; status?: number | null } = {},
  ) {
    super(reason);
    this.name = 'UploadFailure';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.status = status;
  }
}

/** How a status of the archive endpoints is to be taken; see `archiveOffer` of the API. */
export function kindOfStatus(status: number): FailureKind {
  // What should not come at all, as a redirection, is no reason to give an archive up.
  if (status < 400 || LATER.has(status)) return 'later';
  return status >= 500 || AGAIN.has(status) ? 'again' : 'final';
}

const AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);
const LATER: ReadonlySet<number> = new Set([401, 403, 404, 405, 426, 501]);
const UNSUPPORTED: ReadonlySet<number> = new Set([404, 405, 501]);

/** Whether the server is of a version that takes no archives. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof UploadFailure && error.status !== null && UNSUPPORTED.has(error.status);
}

/** Any error as a sentence for a person. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // Several addresses that all refuse come as one error without a message.
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  return inner instanceof Error && inner.message !== '' ? inner.message : error.message;
}
