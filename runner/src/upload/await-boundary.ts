/**
 * Waits for the end of a compaction that a hook announced. The client writes its line a minute or two after the hook, or
 * never if another hook refused the compaction.
 */
import type { Boundary } from '../../../core/agents/entry';
import { readSigns } from '../../../core/agents/registry';
import { openTranscript, readRange } from '../archive/transcript-file';
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
  for (let waitedMs = 0; ; waitedMs += lookMs) {
    const lines = await readAdded(request.path, request.after);
    if (lines === null) return { type: 'failed', reason: 'the transcript was deleted before a compaction' };
    for (const line of lines) {
      const [boundary] = readSigns('boundary', line);
      if (boundary !== undefined) {
        if (request.isNoted !== false) await completeArchives(request);
        return { type: 'compacted', boundary };
      }
      const [message] = readSigns('refusal', line);
      if (message !== undefined) return { type: 'blocked', reason: 'another hook refused it', message };
    }
    if (waitedMs >= patienceMs) return { type: 'open', reason: 'no compaction followed its hook' };
    onLook?.();
    await pause(lookMs, undefined, isUnref);
  }
}

/** A line may be incomplete when the hook fires; at most this many bytes before the end are read again. */
const OPEN_LINE_BYTES = 64 * 1024;

/** The complete lines that end after byte `after`; null: the file was removed or truncated. */
async function readAdded(path: string, after: number): Promise<string[] | null> {
  const file = await openTranscript(path).catch(() => null);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    if (size < after) return null;
    const start = Math.max(0, after - OPEN_LINE_BYTES);
    const bytes = await readRange(file, start, size);
    const from = bytes.lastIndexOf('\n', Math.max(0, after - start - 1)) + 1;
    return bytes
      .subarray(from, bytes.lastIndexOf('\n') + 1)
      .toString('utf8')
      .split('\n');
  } finally {
    await file.close();
  }
}
