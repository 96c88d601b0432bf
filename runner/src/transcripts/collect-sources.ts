/** Finds transcripts below the given paths and says which session each belongs to. */
import { open, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { TranscriptFormat, TranscriptIdentity } from '../adapters/format';
import { formats } from '../adapters/formats';
import { readLastTime } from './read-last-time';
import { sweepFolder } from './sweep-folder';

export interface TranscriptSource {
  /** Absolute path. */
  path: string;
  format: TranscriptFormat;
  identity: TranscriptIdentity;
  bytes: number;
  /** When the file was last written, milliseconds: stands in where its lines tell no time. */
  modifiedAt: number;
}

export interface TranscriptSession {
  /** Session key. */
  session: string;
  /** The main file first, then the sub-agents'. */
  sources: TranscriptSource[];
  hasMain: boolean;
  /** Time of the newest line, milliseconds; 0 where none can be read. */
  lastAt: number;
}

export interface Collected {
  sessions: TranscriptSession[];
  /** `asked`: the path itself was given, and not a folder it lies in. */
  skipped: { path: string; reason: string; asked: boolean }[];
}

/** How far below the main file a sub-agent's may lie. */
const MAX_DEPTH = 6;
const HEAD_BYTES = [64 * 1024, 1024 * 1024, 8 * 1024 * 1024];

/**
 * Sessions in the order to read them: those that ended first come first, so that a session comes before
 * the forks that copied its lines.
 */
export async function collectSources(paths: readonly string[]): Promise<Collected> {
  const skipped: Collected['skipped'] = [];
  const files = new Set<string>();
  const asked = new Set(paths.map((path) => resolve(path)));
  for (const path of paths) {
    const found = await expandPath(resolve(path));
    if (found.length === 0) skipped.push({ path, reason: await reasonForNothing(path), asked: true });
    for (const file of found) files.add(file);
  }
  const sessions = new Map<string, TranscriptSession>();
  for (const path of [...files].sort()) {
    const source = await readSource(path);
    if (source === null) {
      skipped.push({ path, reason: await nameStranger(path), asked: asked.has(path) });
      continue;
    }
    const { session } = source.identity;
    const group = sessions.get(session) ?? { session, sources: [], hasMain: false, lastAt: 0 };
    sessions.set(session, group);
    const isMain = source.identity.chain === null;
    if (isMain) {
      group.sources.unshift(source);
      group.lastAt = readLastTime(path) ?? 0;
    } else group.sources.push(source);
    group.hasMain ||= isMain;
  }
  const inOrder = [...sessions.values()].sort(
    (a, b) => a.lastAt - b.lastAt || (a.session < b.session ? -1 : 1),
  );
  return { sessions: inOrder, skipped };
}

/** The source at a path; null where it is no transcript of a known client. */
export async function readSource(path: string): Promise<TranscriptSource | null> {
  const format = formats.find((candidate) => candidate.accepts(path));
  if (format === undefined) return null;
  const info = await stat(path).catch(() => null);
  if (info === null) return null;
  const bytes = info.size;
  let identity: TranscriptIdentity | null = null;
  for (const length of HEAD_BYTES) {
    identity = format.identify(path, await readRange(path, 0, length)) ?? identity;
    // A first line may be huge, and the folder is not on the first lines of every version.
    if (identity?.folder || bytes <= length) break;
  }
  return identity === null ? null : { path, format, identity, bytes, modifiedAt: Math.floor(info.mtimeMs) };
}

/**
 * The project of the session a source belongs to: its main file's, since a sub-agent may work in a folder of
 * its own. The source's own where there is no main file.
 */
export async function readMainProject(source: TranscriptSource): Promise<string> {
  const { chain, session, project } = source.identity;
  if (chain === null) return project;
  const name = `${session.slice(session.lastIndexOf('/') + 1)}.jsonl`;
  let folder = dirname(source.path);
  for (let up = 0; up < MAX_DEPTH && folder !== dirname(folder); up += 1) {
    const main = await readSource(join(folder, name)).catch(() => null);
    if (main?.identity.session === session) return main.identity.project;
    folder = dirname(folder);
  }
  return project;
}

async function expandPath(path: string): Promise<string[]> {
  const info = await stat(path).catch(() => null);
  if (info === null) return [];
  if (info.isFile()) return [path, ...(await listFiles(path.replace(/\.jsonl$/, ''), path))];
  const inside = await listFiles(path);
  const main = `${path}.jsonl`;
  const hasMain = await stat(main).then(
    (found) => found.isFile(),
    () => false,
  );
  return hasMain ? [main, ...inside] : inside;
}

/** Transcripts below a folder; links are not followed. */
export async function listFiles(folder: string, besides?: string): Promise<string[]> {
  return folder === besides ? [] : [...(await sweepFolder(folder)).sizes.keys()];
}

/** A client's file that is known and not read yet is named as such: nobody is to look for what is wrong with it. */
async function nameStranger(path: string): Promise<string> {
  const head = await readRange(path, 0, STRANGER_BYTES).catch(() => '');
  return CODEX_ROLLOUT.test(head)
    ? 'a Codex rollout, whose calls are not read yet'
    : 'no transcript of a known client';
}

const STRANGER_BYTES = 4_096;
/** Its first line, in the order in which Codex writes it. */
const CODEX_ROLLOUT = /^\s*\{(?:"(?:timestamp|ordinal)":(?:"[^"]*"|\d+),)*"type":"session_meta","payload":/;

async function reasonForNothing(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists ? 'no transcript in it' : 'no such file or folder';
}

async function readRange(path: string, from: number, length: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await file.read(buffer, 0, length, from);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
