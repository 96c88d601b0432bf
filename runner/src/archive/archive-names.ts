/** Names of archives: made of what other programs say, and safe on every file system. */
import { createHash } from 'node:crypto';
import { extname, resolve } from 'node:path';

const HASH_DIGITS = 8;
/** Bytes of a name that every file system takes, less what the archive's name adds. */
const MAX_SESSION_LENGTH = 120;
const MAX_REPO_BYTES = 180;
const MAX_EXTENSION_LENGTH = 32;
/** Names of devices on Windows, also with an extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * The session's part of the name. An id of letters, digits, `.`, `_` and `-` stands as it is; of any other, what
 * can stand, and a short hash of the whole, so that two ids never become one.
 */
export function sessionName(sessionId: string): string {
  const isPlain =
    /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(sessionId) &&
    sessionId.length <= MAX_SESSION_LENGTH &&
    !sessionId.includes('..') &&
    !RESERVED.test(sessionId);
  if (isPlain) return sessionId;
  const kept = sessionId
    .slice(0, MAX_SESSION_LENGTH)
    .replaceAll(/[^A-Za-z0-9_]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `${kept === '' ? 'session' : kept}-${shortHash(sessionId)}`;
}

/** `20261122_015412`, UTC. */
export function timestampOf(now: number): string {
  const digits = new Date(now).toISOString().replaceAll(/\D/g, '');
  return `${digits.slice(0, 8)}_${digits.slice(8, 14)}`;
}

/** The transcript's extension with its dot; `.txt` for one without. */
export function extensionOf(transcriptPath: string): string {
  const extension = extname(transcriptPath)
    .replaceAll(/[^A-Za-z0-9._~+-]/g, '_')
    .slice(0, MAX_EXTENSION_LENGTH);
  return extension.length > 1 ? extension : '.txt';
}

/**
 * A repository's folder name: its absolute path with each separator as `-`, and a short hash of the path, since
 * `/a-b` and `/a/b` would have one name without it.
 * @param repoPath resolved against the working folder of this process.
 */
export function repoKey(repoPath: string): string {
  const path = absolutePath(repoPath);
  const readable = path.replaceAll(/[/\\:]/g, '-').replaceAll(/[\p{Cc}\p{Cs}<>"|?*]/gu, '_');
  return `${lastBytes(readable, MAX_REPO_BYTES)}-${shortHash(path)}`;
}

/** Absolute, without a slash at its end; also where the working folder is gone. */
export function absolutePath(path: string): string {
  try {
    return resolve(path);
  } catch {
    return resolve('/', path);
  }
}

/** The end of a text, at most so many bytes of UTF-8, cut between characters: the end of a path says most. */
function lastBytes(text: string, maxBytes: number): string {
  const characters = [...text];
  let bytes = characters.reduce((sum, character) => sum + Buffer.byteLength(character), 0);
  let first = 0;
  while (bytes > maxBytes) {
    bytes -= Buffer.byteLength(characters[first] ?? '');
    first += 1;
  }
  return characters.slice(first).join('');
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
}
