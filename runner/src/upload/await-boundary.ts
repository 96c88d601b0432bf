/**
 * Waits for the end of a compaction that a hook announced. The client writes its line with the summary, a minute or two
 * after the hook, or never if another hook refused it. Each look reads only new bytes.
 */
import { marksOf, readSigns } from '../../../core/agents/registry';
import type { ArchiveEntry } from '../archive/archive-types';
import { type CompletionRequest, completeArchives } from './complete-archives';
import { pause } from './retry';
import { TranscriptTail } from './transcript-tail';

export interface BoundaryPatience {
  /** Longest wait, milliseconds. */
  patienceMs: number;
  /** Pause between two looks, milliseconds. */
  lookMs: number;
  signal?: AbortSignal;
  /** Waiting does not keep the process alive. Default false. */
  isUnref?: boolean;
  /** Called after each look that found nothing; for tests. */
  onLook?(): void;
}

export const BOUNDARY_PATIENCE: BoundaryPatience = { patienceMs: 5 * 60_000, lookMs: 1_000 };

export type CompactionOutcome =
  /** `made`: new index entries; none if another process was first, or none is wanted. */
  | { type: 'completed'; made: ArchiveEntry[] }
  /** A hook refused it. `message`: the client's own words. */
  | { type: 'blocked'; reason: string; message: string }
  /** It did not happen. */
  | { type: 'failed'; reason: string };

export type Uncompacted = Exclude<CompactionOutcome, { type: 'completed' }>;

export interface BoundaryRequest extends CompletionRequest {
  /** Size of the file when the hook fired. */
  after: number;
  /** Whether to add completed archives to the index. Default true. */
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
    if (lines === null) return { type: 'failed', reason: 'the transcript was deleted before a compaction' };
    for (const line of lines) {
      const sign = readSign(line, request.now, seen);
      if (sign === 'boundary') return complete(request, signal);
      if (sign !== null) return { type: 'blocked', reason: 'another hook refused it', message: sign };
    }
    if (waitedMs >= patienceMs) {
      const reason = `no compaction within ${Math.round(patienceMs / 1000)} s of its hook`;
      return { type: 'failed', reason: seen.hasGoneOn ? `${reason}, and the agent continued` : reason };
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

const SIGNS = ['boundary', 'refusal', 'answer'] as const;
const MARKS = SIGNS.flatMap((sign) => marksOf(sign)).map((mark) => Buffer.from(mark));

/** `boundary`: the compaction is over. Otherwise the client's words of a refusal; null: neither. */
function readSign(bytes: Buffer, firedAt: number, seen: { hasGoneOn: boolean }): string | null {
  if (!MARKS.some((mark) => bytes.includes(mark))) return null;
  const line = bytes.toString('utf8');
  if (readSigns('boundary', line).length > 0) return 'boundary';
  seen.hasGoneOn ||= readSigns('answer', line).some((answeredAt) => answeredAt > firedAt);
  return readSigns('refusal', line)[0] ?? null;
}
