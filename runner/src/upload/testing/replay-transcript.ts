/**
 * For tests: writes a transcript line by line, as its client did, and fires the hook with a client's input before each
 * compaction's line.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { findBoundaries } from '../find-boundaries';

export interface HookFiring {
  /** The hook's standard input. */
  payload: Record<string, unknown>;
  /** The file at that moment. */
  content: Buffer;
}

/**
 * @param hook awaited before the next line is written. @returns the file at each compaction's own line, including that
 * line.
 */
export async function replayTranscript(
  source: string,
  target: string,
  hook: (firing: HookFiring) => Promise<void>,
): Promise<Buffer[]> {
  const ends = (await findBoundaries(source)).map(({ trigger, digest }) => ({ trigger, end: digest.bytes }));
  const content = readFileSync(source);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, '');
  const completed: Buffer[] = [];
  for (let at = 0; at < content.length; ) {
    const feed = content.indexOf(0x0a, at);
    const end = feed === -1 ? content.length : feed + 1;
    const boundary = ends.find((candidate) => candidate.end === end);
    if (boundary !== undefined) {
      await hook({ payload: payloadOf(target, boundary.trigger ?? 'auto'), content: readFileSync(target) });
    }
    appendFileSync(target, content.subarray(at, end));
    if (boundary !== undefined) completed.push(content.subarray(0, end));
    at = end;
  }
  return completed;
}

function payloadOf(path: string, trigger: string): Record<string, unknown> {
  return {
    session_id: basename(path, '.jsonl'),
    transcript_path: path,
    cwd: '/home/dev/harbour',
    hook_event_name: 'PreCompact',
    trigger,
    custom_instructions: null,
  };
}
