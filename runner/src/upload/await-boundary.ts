/**
 * Waits, within bounds, for the line that ends a compaction: a client writes it when its summary is there, a minute or
 * two after the hook. It looks at the file's size, and reads only what is new.
 */
import type { ArchiveEntry } from '../archive/archive-types';
import { openTranscript } from '../archive/copy-transcript';
import { type CompletionRequest, completeArchives } from './complete-archives';
import { pause } from './keep-trying';
import { BOUNDARY_MARKS } from './read-boundary';

export interface BoundaryPatience {
  /** Milliseconds to wait at most. */
  patienceMs: number;
  /** Between two looks. */
  lookMs: number;
  signal?: AbortSignal;
  /** Waiting does not keep the process alive. Default false. */
  isUnref?: boolean;
  /** For tests: it looked, and found nothing that ends its waiting. */
  onLook?(): void;
}

export const BOUNDARY_PATIENCE: BoundaryPatience = { patienceMs: 5 * 60_000, lookMs: 1_000 };

const READ_BYTES = 1024 * 1024;
const LONGEST_MARK = Math.max(...BOUNDARY_MARKS.map(({ length }) => length));

/**
 * @param request with `after`: the size of the file when the hook fired.
 * @returns the completed archives that were noted for it; none where no compaction came, the file went away, or somebody
 *   else was first.
 * @throws what the file system throws for the index.
 */
export async function awaitBoundary(
  request: CompletionRequest & { after: number },
  { patienceMs, lookMs, signal, isUnref, onLook }: BoundaryPatience = BOUNDARY_PATIENCE,
): Promise<ArchiveEntry[]> {
  const tail = new Tail(request.path, request.after);
  for (let waitedMs = 0; ; waitedMs += lookMs) {
    const look = await tail.look();
    if (look === 'gone') return [];
    if (look === 'marked') {
      const { found, made } = await completeArchives({
        ...request,
        ...(signal === undefined ? {} : { signal }),
      });
      // None: half a line so far, or words that only look like one. Where somebody else was first, it is theirs.
      if (found > 0) return made;
    }
    if (waitedMs >= patienceMs) return [];
    onLook?.();
    await pause(lookMs, signal, isUnref);
  }
}

/** What was appended to a file since it had a size. */
class Tail {
  readonly #path: string;
  #offset: number;
  /** The end of what was read, in which a mark may have begun. */
  #carried: Buffer = Buffer.alloc(0);
  #isMarked = false;

  constructor(path: string, offset: number) {
    this.#path = path;
    this.#offset = offset;
  }

  /** `marked`: a compaction may be told of in what is new, or in a line that began before. */
  async look(): Promise<'quiet' | 'marked' | 'gone'> {
    const file = await openTranscript(this.#path).catch(() => null);
    if (file === null) return 'gone';
    try {
      const { size } = await file.stat();
      if (size < this.#offset) return 'gone';
      const hasGrown = size > this.#offset;
      while (this.#offset < size) {
        const wanted = Math.min(READ_BYTES, size - this.#offset);
        const { bytesRead, buffer } = await file.read(Buffer.alloc(wanted), 0, wanted, this.#offset);
        if (bytesRead === 0) break;
        const window = Buffer.concat([this.#carried, buffer.subarray(0, bytesRead)]);
        this.#isMarked ||= BOUNDARY_MARKS.some((mark) => window.includes(mark));
        this.#carried = window.subarray(-LONGEST_MARK);
        this.#offset += bytesRead;
      }
      return hasGrown && this.#isMarked ? 'marked' : 'quiet';
    } finally {
      await file.close();
    }
  }
}
