/** Names, paths and ids of archives. The input comes from other programs; the names are safe on every file system. */
import { createHash } from 'node:crypto';
import { extname, join, resolve } from 'node:path';
import { ownIdOf } from '../../../core/agents/registry';

const HASH_DIGITS = 8;
/** File systems allow names of 255 bytes; the remaining bytes are for the other parts of the name. */
const MAX_SESSION_LENGTH = 120;
const MAX_REPO_BYTES = 180;
const MAX_EXTENSION_LENGTH = 32;
/** Device names on Windows, with or without an extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** The session id, or a cleaned id with a short hash. The hash keeps the names of different ids apart. */
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

/** UTC, as in `20261122_015412`. */
export function timestampOf(now: number): string {
  const digits = new Date(now).toISOString().replaceAll(/\D/g, '');
  return `${digits.slice(0, 8)}_${digits.slice(8, 14)}`;
}

/** The transcript's extension with its dot; `.txt` if it has no extension. */
export function extensionOf(transcriptPath: string): string {
  const extension = extname(transcriptPath)
    .replaceAll(/[^A-Za-z0-9._~+-]/g, '_')
    .slice(0, MAX_EXTENSION_LENGTH);
  return extension.length > 1 ? extension : '.txt';
}

/** Folder name of a repository: its absolute path with dashes, and a hash that distinguishes `/a-b` from `/a/b`. */
export function repoKey(repoPath: string): string {
  const path = absolutePath(repoPath);
  const readable = path.replaceAll(/[/\\:]/g, '-').replaceAll(/[\p{Cc}\p{Cs}<>"|?*]/gu, '_');
  // Keep the end of the path, its specific part.
  const end = Buffer.from(readable)
    .subarray(-MAX_REPO_BYTES)
    .toString()
    .replace(/^\ufffd+/, '');
  return `${end}-${shortHash(path)}`;
}

/** Absolute path without a trailing slash, even if the working folder was deleted. */
export function absolutePath(path: string): string {
  try {
    return resolve(path);
  } catch {
    return resolve('/', path);
  }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
}

export function runsFolder(configFolder: string): string {
  return join(absolutePath(configFolder), 'runs');
}

/** `<config folder>/runs/<repo key>/archives`. */
export function archiveFolder(configFolder: string, repoPath: string): string {
  return join(runsFolder(configFolder), repoKey(repoPath), 'archives');
}

/** The id of a completed version: the hook, `watch` and `import` create the same. `what` is unique in the session. */
export function archiveIdOf(project: string, session: string, what: string): string {
  return uuidOf(JSON.stringify(['completed', ownIdOf(session) === null ? project : null, session, what]));
}

/** The id of a copy: a new index gets the ids of the lost one, so servers recognise what they have. */
export function copyIdOf(repo: string, fileName: string, sha256: string): string {
  return uuidOf(`${repo}/${fileName} ${sha256}`);
}

/** A UUID of version 8 made from a hash. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
