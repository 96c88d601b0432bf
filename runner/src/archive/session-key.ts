/** Which session a hook speaks of: the key under which its transcript is followed and imported. */
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { sessionKeyOf } from '../adapters/claude-code/identify';
import { formats } from '../adapters/formats';
import type { HookInput } from './read-hook-input';

const HEAD_BYTES = 64 * 1024;
const MAX_KEY_LENGTH = 400;

/**
 * The key as the transcript's own format tells it; else as its path tells it; else the client's id. Null where the
 * hook named neither.
 * @param transcript open for reading; null where there is none.
 */
export async function findSessionKey(
  input: HookInput,
  transcript: FileHandle | null,
): Promise<string | null> {
  const { transcriptPath, sessionId } = input;
  if (transcriptPath !== null) {
    const format = formats.find((candidate) => candidate.accepts(transcriptPath));
    const head = format === undefined ? '' : await readHead(transcript);
    const identity = head === '' ? null : format?.identify(transcriptPath, head);
    if (identity) return identity.session;
    const name = basename(transcriptPath);
    if (/^rollout-.+\.jsonl$/.test(name)) return storable(`codex:${name.slice(0, -'.jsonl'.length)}`);
    if (name.endsWith('.jsonl')) return storable(sessionKeyOf(transcriptPath) ?? `hook:${sessionId}`);
  }
  return sessionId === 'unknown' ? null : storable(`hook:${sessionId}`);
}

/** Keys hold what Postgres can: no NUL, no half of a surrogate pair; nor what a person could not read. */
function storable(key: string): string {
  return key.slice(0, MAX_KEY_LENGTH).replaceAll(/[\p{Cc}\p{Cs}]/gu, '\ufffd');
}

/** Empty where the file cannot be read. */
async function readHead(transcript: FileHandle | null): Promise<string> {
  try {
    const read = await transcript?.read(Buffer.allocUnsafe(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return read?.buffer.toString('utf8', 0, read.bytesRead) ?? '';
  } catch {
    return '';
  }
}
