/** `again`: retry soon. `later`: someone must act first, the archive waits. `final`: never; the archive is given up. */
export type FailureKind = 'again' | 'later' | 'final';

interface Answer {
  /** The server's `Retry-After`, milliseconds; null if there was none. */
  retryAfterMs: number | null;
  status: number | null;
  /** The server's error code; null if it gave none. */
  code: string | null;
}

/** Codes of a project without room: a higher limit, a deletion or retention makes room later. */
const NO_ROOM = new Set(['too_many', 'project_full']);
const AGAIN = new Set([408, 425, 429]);
const LATER = new Set([401, 403, 404, 405, 426, 501]);
const UNSUPPORTED = new Set([404, 405, 501]);

export class UploadFailure extends Error {
  override readonly name = 'UploadFailure';

  constructor(
    readonly kind: FailureKind,
    reason: string,
    readonly answer: Answer = { retryAfterMs: null, status: null, code: null },
  ) {
    super(reason);
  }

  /** For an answer that is no success. */
  static ofAnswer(reason: string, answer: Answer & { status: number }): UploadFailure {
    const { status, code } = answer;
    const isAgain = status >= 500 || AGAIN.has(status);
    // Redirections are unexpected, and no reason to give an archive up.
    const isLater = NO_ROOM.has(code ?? '') || status < 400 || LATER.has(status);
    return new UploadFailure(isLater ? 'later' : isAgain ? 'again' : 'final', reason, answer);
  }

  get status(): number | null {
    return this.answer.status;
  }

  /** The project has no room; archives of other projects may still fit. */
  get isProjectFull(): boolean {
    return NO_ROOM.has(this.answer.code ?? '');
  }

  /** The server does not accept archives at all. */
  get isUnsupported(): boolean {
    return this.status !== null && UNSUPPORTED.has(this.status);
  }
}

/** The file no longer has the bytes that were archived. */
export function changed(): UploadFailure {
  return new UploadFailure('final', 'the file is no longer what was archived');
}
