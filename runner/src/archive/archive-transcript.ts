/**
 * Archives one transcript: copies it, syncs the copy, names it, and adds it to the index. A non-empty archive is always
 * complete.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve, sep } from 'node:path';
import { CLIENTS } from '../../../core/agents/clients';
import { parseFields, present } from '../../../core/agents/fields';
import { identify, isTranscriptPath, readSigns, sessionKeyOf } from '../../../core/agents/registry';
import { cutPoints } from '../../../core/protocol/code-points';
import { messageOf } from '../guard';
import { appendEntry, makePrivateFolders } from './archive-index';
import {
  absolutePath,
  archiveFolder,
  copyIdOf,
  extensionOf,
  repoKey,
  sessionName,
  timestampOf,
} from './archive-names';
import type { ArchiveEntry } from './archive-types';
import type { HookInput } from './read-hook-input';
import { copyTranscript, openTranscript, readRange } from './transcript-file';

export interface ArchiveRequest {
  input: HookInput;
  repoPath: string;
  configFolder: string;
  /** Session key; null if it must be derived from the transcript. */
  session: string | null;
  /** The session's project, if known: another process that uploads the archive cannot derive it. */
  project?: string | undefined;
  now: number;
  /** Id of the sub-agent that wrote the file; absent for the session's transcript. */
  agent?: string;
}

export interface ArchiveOutcome {
  entry: ArchiveEntry;
  /** Why the index could not be written; null on success. */
  indexProblem: string | null;
}

const HEAD_BYTES = 64 * 1024;
/** More bytes than a client writes while the second process of a hook starts. */
const TAIL_BYTES = 1024 * 1024;
const MAX_KEY_LENGTH = 400;
/** A partial copy older than this belongs to a killed process. */
const STALE_PARTIAL_MS = 3_600_000;

/** Never throws: failures are the entry's state and reason. */
export async function archiveTranscript(request: ArchiveRequest): Promise<ArchiveOutcome> {
  const { input, configFolder, now } = request;
  const blank: ArchiveEntry = {
    id: randomUUID(),
    at: new Date(now).toISOString(),
    state: 'skipped',
    reason: null,
    session: request.session,
    clientSessionId: input.sessionId,
    trigger: input.trigger,
    cwd: input.cwd,
    repo: absolutePath(request.repoPath),
    source: input.transcriptPath,
    archive: null,
    bytes: null,
    lines: null,
    sha256: null,
    asOf: 'hook',
    upload: 'none',
    ...present({ agent: request.agent, project: request.project }),
  };
  const entry = { ...blank, ...(await tryToArchive(request, blank.repo)) };
  entry.session ??= await findSessionKey(input, null);
  try {
    await appendEntry(configFolder, entry);
    return { entry, indexProblem: null };
  } catch (error) {
    return { entry, indexProblem: messageOf(error) };
  }
}

async function tryToArchive(request: ArchiveRequest, repo: string): Promise<Partial<ArchiveEntry>> {
  const { input, session } = request;
  if (input.transcriptPath === null) return { state: 'skipped', reason: 'no transcript_path was given' };
  try {
    const path = locateTranscript(input.transcriptPath, input.cwd);
    const transcript = await openTranscript(path).catch(nullIfMissing);
    if (transcript === null) return { state: 'skipped', reason: 'the transcript is not there' };
    try {
      const copy = await store(transcript, path, repo, request);
      const key = session ?? (await findSessionKey({ ...input, transcriptPath: path }, transcript));
      return { state: 'stored', upload: 'pending', session: key, ...copy };
    } finally {
      await transcript.close();
    }
  } catch (error) {
    return { state: 'failed', reason: messageOf(error) };
  }
}

async function store(transcript: FileHandle, path: string, repo: string, request: ArchiveRequest) {
  const { input, configFolder, now, agent } = request;
  const folder = archiveFolder(configFolder, repo);
  const partials = await makePrivateFolders(configFolder, [repoKey(repo), 'archives', '.partial']);
  await removeStale(partials);
  const partial = join(partials, `${process.pid}-${randomUUID()}`);
  try {
    const { bytes, lines, sha256 } = await copyTranscript(transcript, partial, await endAt(transcript, now));
    const session = sessionName(agent === undefined ? input.sessionId : `${input.sessionId}_agent-${agent}`);
    const prefix = join(folder, `${session}_${timestampOf(now)}`);
    const archive = await placeArchive(partial, prefix, `_transcript${extensionOf(path)}`);
    await syncFolder(folder);
    return { id: copyIdOf(repoKey(repo), basename(archive), sha256), bytes, lines, sha256, archive };
  } catch (error) {
    await unlink(partial).catch(() => undefined);
    throw error;
  }
}

/** Where the transcript ended when the hook ran. The client may write the compaction's outcome before the copy starts. */
async function endAt(transcript: FileHandle, now: number): Promise<number> {
  const { size } = await transcript.stat();
  let end = Math.max(0, size - TAIL_BYTES);
  const tail = await readRange(transcript, end, size);
  for (const line of tail.toString('latin1').split('\n')) {
    const isOutcome = readSigns('boundary', line).length + readSigns('refusal', line).length > 0;
    if (isOutcome && Date.parse(String(parseFields(line)?.timestamp)) >= now) return end;
    end += line.length + 1;
  }
  return size;
}

/** Later archives of the same second get random numbers, because trying every number in turn would be slow. */
const NUMBERED_IN_ORDER = 3;
const MAX_NUMBER = 1_000_000;

/** Move the copy to `<prefix><suffix>`, or to `<prefix>-2<suffix>` and so on if that file exists. @returns the path. */
async function placeArchive(partial: string, prefix: string, suffix: string): Promise<string> {
  for (let number = 1; ; ) {
    const path = `${prefix}${number === 1 ? '' : `-${number}`}${suffix}`;
    if (await reserve(path)) {
      await rename(partial, path);
      return path;
    }
    number = number < NUMBERED_IN_ORDER ? number + 1 : randomInt(NUMBERED_IN_ORDER + 1, MAX_NUMBER);
  }
}

/** Reserve a name by an empty file; false if the name is taken. A rename alone would replace an existing file. */
async function reserve(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Resolve `~/` and paths relative to the agent's folder. Find the file if the client moved it to its archive folder. */
export function locateTranscript(path: string, cwd: string | null): string {
  const isInHome = /^~[/\\]/.test(path);
  const given = isInHome ? join(homedir(), path.slice(2)) : resolve(absolutePath(cwd ?? '.'), path);
  const moved = CLIENTS.flatMap(({ transcripts }) => {
    const [main, ...others] = transcripts?.folders ?? [];
    const end = given.lastIndexOf(`${sep}${main}${sep}`);
    return end < 0 ? [] : others.map((other) => join(given.slice(0, end), other, basename(given)));
  });
  return existsSync(given) ? given : (moved.find((each) => existsSync(each)) ?? given);
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

async function removeStale(partials: string): Promise<void> {
  const names = await readdir(partials).catch(() => []);
  for (const name of names) {
    const path = join(partials, name);
    const info = await stat(path).catch(() => null);
    if (info === null || Date.now() - info.mtimeMs <= STALE_PARTIAL_MS) continue;
    await unlink(path).catch(() => undefined);
  }
}

/** Sync the folder, so that the name survives a power loss. Some systems cannot open folders. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close().catch(() => undefined);
}

/** The session key of a hook that archives nothing; null if it is unknown. `exists`: the transcript exists. */
export async function findSession(input: HookInput): Promise<{ session: string | null; exists: boolean }> {
  const path = input.transcriptPath;
  const transcript =
    path === null ? null : await openTranscript(locateTranscript(path, input.cwd)).catch(() => null);
  const session = await findSessionKey(input, transcript);
  await transcript?.close();
  return { session, exists: transcript !== null };
}

/**
 * The session key as `watch` and `import` derive it: from the transcript's content, else its path, else the client's
 * session id.
 */
async function findSessionKey(input: HookInput, transcript: FileHandle | null): Promise<string | null> {
  const { transcriptPath, sessionId } = input;
  if (transcriptPath !== null && isTranscriptPath(transcriptPath)) {
    const head = Buffer.alloc(HEAD_BYTES);
    const read = await transcript?.read(head, 0, HEAD_BYTES, 0).catch(() => null);
    const found = identify(transcriptPath, head.toString('utf8', 0, read?.bytesRead ?? 0));
    if (found !== null) return found.identity.session;
    const knownId = sessionId === 'unknown' ? null : sessionId;
    return storable(sessionKeyOf(transcriptPath, knownId) ?? `hook:${sessionId}`);
  }
  return sessionId === 'unknown' ? null : storable(`hook:${sessionId}`);
}

/** Replace control characters and lone surrogates: PostgreSQL refuses NUL and invalid Unicode. */
function storable(key: string): string {
  return cutPoints(key, MAX_KEY_LENGTH).replaceAll(/[\p{Cc}\p{Cs}]/gu, '\ufffd');
}
