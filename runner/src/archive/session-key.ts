/** The session key of a hook's transcript, as `watch` and `import` derive it. */
import type { FileHandle } from 'node:fs/promises';
import { identify, isTranscriptPath, sessionKeyOf } from '../../../core/agents/registry';
import type { HookInput } from './read-hook-input';

const HEAD_BYTES = 64 * 1024;
const MAX_KEY_LENGTH = 400;

/**
 * The key by the transcript's content, else by its path, else by the client's session id; null without either.
 * @param transcript open for reading; null if there is none.
 */
export async function findSessionKey(
  input: HookInput,
  transcript: FileHandle | null,
): Promise<string | null> {
  const { transcriptPath, sessionId } = input;
  if (transcriptPath !== null && isTranscriptPath(transcriptPath)) {
    const found = identify(transcriptPath, await readHead(transcript));
    if (found !== null) return found.identity.session;
    return storable(sessionKeyOf(transcriptPath) ?? `hook:${sessionId}`);
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
