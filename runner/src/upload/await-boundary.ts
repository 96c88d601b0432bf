/**
 * Waits, within bounds, for what becomes of a compaction that a hook announced: a client writes its line when its summary
 * is there, a minute or two after the hook, or never, where another hook refused it or it gave up. Each look reads what
 * is new; the whole file is read once, when the line is there.
 */
import type { ArchiveEntry } from '../archive/archive-types';
import { type CompletionRequest, completeArchives } from './complete-archives';
import { pause } from './keep-trying';
import { BOUNDARY_MARKS, readBoundary } from './read-boundary';
import { ANSWER_MARK, isAnswerAfter, REFUSAL_MARK, readRefusedCompaction } from './read-refused-compaction';
import { TranscriptTail } from './transcript-tail';

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

export type CompactionOutcome =
  /** `made`: the completed archives that were noted for it; none where somebody else was first, or none is wanted. */
  | { type: 'completed'; made: ArchiveEntry[] }
  /** A hook refused it. `said`: the client's words for it. */
  | { type: 'blocked'; reason: string; said: string }
  /** It did not come. `reason`: a clause. */
  | { type: 'failed'; reason: string };

export interface BoundaryRequest extends CompletionRequest {
  /** The size of the file when the hook fired. */
  after: number;
  /** Whether completed archives are noted. Default true. */
  isNoted?: boolean;
}

/** @throws what the file system throws for the index; the signal's reason. */
export async function awaitBoundary(
  request: BoundaryRequest,
  { patienceMs, lookMs, signal, isUnref, onLook }: BoundaryPatience = BOUNDARY_PATIENCE,
): Promise<CompactionOutcome> {
  const tail = new TranscriptTail(request.path, request.after);
  const seen = { hasGoneOn: false };
  for (let waitedMs = 0; ; waitedMs += lookMs) {
    const lines = await tail.look();
    if (lines === null) return { type: 'failed', reason: 'the transcript went away before it told of one' };
    for (const line of lines) {
      const sign = readSign(line, request.now, seen);
      if (sign === 'boundary') return complete(request, signal);
      if (sign !== null) return { type: 'blocked', reason: 'another hook refused it', said: sign };
    }
    if (waitedMs >= patienceMs) {
      const reason = `no compaction came within ${Math.round(patienceMs / 1000)} s of its hook`;
      return { type: 'failed', reason: seen.hasGoneOn ? `${reason}, and the agent went on` : reason };
    }
    onLook?.();
    await pause(lookMs, signal, isUnref);
  }
}

async function complete(
  request: BoundaryRequest,
  signal: AbortSignal | undefined,
): Promise<CompactionOutcome> {
  if (request.isNoted === false) return { type: 'completed', made: [] };
  const { made } = await completeArchives({ ...request, ...(signal === undefined ? {} : { signal }) });
  return { type: 'completed', made };
}

/** `boundary`: the compaction is over. Else what the client says where it was refused; null: neither. */
function readSign(line: Buffer, firedAt: number, seen: { hasGoneOn: boolean }): string | null {
  const isBoundary = BOUNDARY_MARKS.some((mark) => line.includes(mark));
  if (isBoundary && readBoundary(line.toString('utf8')) !== null) return 'boundary';
  if (!seen.hasGoneOn && line.includes(ANSWER_MARK)) {
    seen.hasGoneOn = isAnswerAfter(line.toString('utf8'), firedAt);
  }
  return line.includes(REFUSAL_MARK) ? readRefusedCompaction(line.toString('utf8')) : null;
}
