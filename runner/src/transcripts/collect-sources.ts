/** Find transcripts below the given paths, with the session each belongs to. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Identified, identify, isTranscriptPath } from '../../../core/agents/registry';

export interface TranscriptSource extends Identified {
  /** Absolute path. */
  path: string;
  bytes: number;
  /** Last write, milliseconds: the time of lines without one. */
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
  /** `asked`: the path itself was given, not a folder above it. */
  skipped: { path: string; reason: string; asked: boolean }[];
}

export interface FolderSweep {
  /** Sizes of all transcripts below the root, by path. */
  sizes: Map<string, number>;
  /** Folders directly below the root. */
  folders: string[];
}

/** Levels between a main file and a sub-agent's. */
const MAX_DEPTH = 6;
const HEAD_BYTES = [64 * 1024, 1024 * 1024, 8 * 1024 * 1024];
const TAIL_BYTES = 64 * 1024;

/**
 * Sessions in reading order: the first to end is first, so that a session precedes the forks that copied its lines.
 * @param formats `all` includes the formats that import skips.
 */
export async function collectSources(
  paths: readonly string[],
  formats: 'imported' | 'all' = 'imported',
): Promise<Collected> {
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
    const source = await identifyFile(path).catch(() => null);
    const reason = source === null ? 'no transcript of a known client' : source.format.notImported;
    if (source === null || (formats === 'imported' && reason !== null)) {
      skipped.push({ path, reason: reason ?? '', asked: asked.has(path) });
      continue;
    }
    addSource(sessions, source);
  }
  const inOrder = [...sessions.values()].sort(
    (a, b) => a.lastAt - b.lastAt || (a.session < b.session ? -1 : 1),
  );
  return { sessions: inOrder, skipped };
}

function addSource(sessions: Map<string, TranscriptSession>, source: TranscriptSource): void {
  const { session, chain } = source.identity;
  const group = sessions.get(session) ?? { session, sources: [], hasMain: false, lastAt: 0 };
  sessions.set(session, group);
  if (chain === null) {
    group.sources.unshift(source);
    group.lastAt = readLastTime(source.path) ?? 0;
    group.hasMain = true;
  } else group.sources.push(source);
}

/** The source at a path; null where it is no transcript that import reads. */
export async function readSource(path: string): Promise<TranscriptSource | null> {
  const source = await identifyFile(path);
  return source?.format.notImported === null ? source : null;
}

async function identifyFile(path: string): Promise<TranscriptSource | null> {
  if (!isTranscriptPath(path)) return null;
  const info = await stat(path).catch(() => null);
  if (info === null) return null;
  const bytes = info.size;
  let found: Identified | null = null;
  for (const length of HEAD_BYTES) {
    found = identify(path, await readHead(path, length)) ?? found;
    // A first line may be huge, and not every version states the folder on its first lines.
    if (found?.identity.folder || bytes <= length) break;
  }
  return found === null ? null : { path, ...found, bytes, modifiedAt: Math.floor(info.mtimeMs) };
}

/**
 * Project of the session a source belongs to: the main file's, since a sub-agent may work in a folder of its own. The
 * source's own where there is no main file.
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
  if (info.isFile()) {
    const folder = path.replace(/\.jsonl$/, '');
    return folder === path ? [path] : [path, ...(await listFiles(folder))];
  }
  const inside = await listFiles(path);
  const main = await stat(`${path}.jsonl`).catch(() => null);
  return main?.isFile() ? [`${path}.jsonl`, ...inside] : inside;
}

/** Transcripts below a folder; links are not followed. */
export async function listFiles(folder: string): Promise<string[]> {
  return [...(await sweepFolder(folder)).sizes.keys()];
}

/** Walk a folder tree once. Files that disappear meanwhile are left out; links are not followed. */
export async function sweepFolder(root: string): Promise<FolderSweep> {
  const sizes = new Map<string, number>();
  const folders: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (depth === 0) folders.push(path);
        await visit(path, depth + 1);
      } else if (entry.isFile() && isTranscriptPath(path)) {
        const info = await stat(path).catch(() => null);
        if (info !== null) sizes.set(path, info.size);
      }
    }
  };
  await visit(root, 0);
  return { sizes, folders };
}

async function reasonForNothing(path: string): Promise<string> {
  const info = await stat(path).catch(() => null);
  return info === null ? 'no such file or folder' : 'no transcript in it';
}

async function readHead(path: string, length: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await file.read(buffer, 0, length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Time of the newest line of a transcript, milliseconds; null where its end has none. */
export function readLastTime(path: string): number | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const buffer = Buffer.alloc(TAIL_BYTES);
    const from = Math.max(0, statSync(path).size - TAIL_BYTES);
    const text = buffer.toString('utf8', 0, readSync(file, buffer, 0, TAIL_BYTES, from));
    const times = [...text.matchAll(/"timestamp":\s?"([^"]{10,40})"/g)].map((match) =>
      Date.parse(match[1] ?? ''),
    );
    return times.filter(Number.isFinite).at(-1) ?? null;
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}
