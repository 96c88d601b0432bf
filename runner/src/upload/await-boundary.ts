/**
 * Waits for the end of a compaction that a hook announced. The client writes its line a minute or two after the hook, or
 * never if another hook refused the compaction.
 */
import type { Boundary } from '../../../core/agents/entry';
import { marksOf, readSigns } from '../../../core/agents/registry';
import { createEntrySplitter } from '../../../core/transcript/split-entries';
import { openTranscript, readParts } from '../archive/transcript-file';
import { type CompletionRequest, completeArchives } from './complete-archives';
import { pause } from './retry';

export interface BoundaryPatience {
  patienceMs: number;
  lookMs: number;
  /** True: the process may end during the wait. Default false. */
  isUnref?: boolean | undefined;
  /** Called after each check that found nothing; for tests. */
  onLook?(): void;
}

export const BOUNDARY_PATIENCE: BoundaryPatience = { patienceMs: 5 * 60_000, lookMs: 1_000 };

/** `blocked`: a hook refused the compaction; `message`: the client's own words. `open`: not known yet. */
type Outcome =
  | { type: 'compacted'; boundary: Boundary }
  | { type: 'blocked' | 'failed' | 'open'; reason: string; message?: string };

export interface BoundaryRequest extends CompletionRequest {
  /** Size of the file when the hook fired. */
  after: number;
  /** Whether to add completed archives to the index. Default true. */
  isNoted?: boolean;
}

/** @throws what the file system throws for the index. */
export async function awaitBoundary(
  request: BoundaryRequest,
  { patienceMs, lookMs, isUnref, onLook }: BoundaryPatience,
): Promise<Outcome> {
  const look = createTail(request.path, request.after);
  let hasGoneOn = false;
  for (let waitedMs = 0; ; waitedMs += lookMs) {
    const lines = await look();
    if (lines === null) return { type: 'failed', reason: 'the transcript was deleted before a compaction' };
    for (const line of lines) {
      const [boundary] = readSigns('boundary', line);
      if (boundary !== undefined) {
        if (request.isNoted !== false) await completeArchives(request);
        return { type: 'compacted', boundary };
      }
      hasGoneOn ||= readSigns('answer', line).some((answeredAt) => answeredAt > request.now);
      const [message] = readSigns('refusal', line);
      if (message !== undefined) return { type: 'blocked', reason: 'another hook refused it', message };
    }
    if (waitedMs >= patienceMs) {
      const reason = 'no compaction followed its hook';
      return { type: 'open', reason: hasGoneOn ? `${reason}, and the agent continued` : reason };
    }
    onLook?.();
    await pause(lookMs, undefined, isUnref);
  }
}

const MARKS = (['boundary', 'refusal', 'answer'] as const)
  .flatMap((sign) => marksOf(sign))
  .map((mark) => Buffer.from(mark));
/** A line may be incomplete when the hook fires; at most this many bytes before the end are read again. */
const OPEN_LINE_BYTES = 64 * 1024;

/** Create a function that returns the new lines that contain a mark; null: the file was removed or truncated. */
function createTail(path: string, after: number): () => Promise<string[] | null> {
  const start = Math.max(0, after - OPEN_LINE_BYTES);
  const splitter = createEntrySplitter();
  let offset = start;
  return async () => {
    const file = await openTranscript(path).catch(() => null);
    if (file === null) return null;
    try {
      const { size } = await file.stat();
      if (size < Math.max(offset, after)) return null;
      const lines: string[] = [];
      for await (const part of readParts(file, offset, size)) {
        offset += part.length;
        for (const { bytes, to } of splitter.push(part)) {
          if (bytes === null || start + to <= after) continue;
          const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
          if (MARKS.some((mark) => line.includes(mark))) lines.push(line.toString('utf8'));
        }
      }
      return lines;
    } finally {
      await file.close();
    }
  };
}
