/**
 * The files of a queue folder: `queue.json` (owner, server, stream id), `lock`, `progress.json` (settled and reserved
 * seqs) and segments `00000001.seg`, `00000002.seg` … Folders are 0700 and files 0600: they contain titles and
 * checkpoints.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { SeqRange } from '../../../core/protocol/messages';
import { sourceName } from '../../../core/protocol/messages';

/** Who reports, and to which server. */
const queueIdentity = z.object({
  /** The ingest address, as in `ws://127.0.0.1:4680/v1/ingest`. */
  url: z.string(),
  project: z.string(),
  runner: z.object({ name: z.string(), host: z.string().optional(), version: z.string().optional() }),
  source: sourceName,
});
export type QueueIdentity = z.infer<typeof queueIdentity>;

const queueFile = queueIdentity.extend({ format: z.literal(1), stream: z.uuid(), createdAt: z.number() });
export type QueueFile = z.infer<typeof queueFile>;

const progressFile = z.object({
  settled: z.array(z.tuple([z.number(), z.number()])),
  reservedThrough: z.number(),
});
export interface Progress {
  settled: SeqRange[];
  /** Items beyond this seq were never sent. */
  reservedThrough: number;
}

export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // An existing folder may have another mode.
  chmodSync(folder, 0o700);
}

export function writeQueueFile(folder: string, file: QueueFile): void {
  writeFileSync(path.join(folder, 'queue.json'), `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
}

export function readQueueFile(folder: string): QueueFile | null {
  const parsed = queueFile.safeParse(readJson(path.join(folder, 'queue.json')));
  return parsed.success ? parsed.data : null;
}

export function readProgress(folder: string): Progress | null {
  const parsed = progressFile.safeParse(readJson(path.join(folder, 'progress.json')));
  return parsed.success ? parsed.data : null;
}

/** Replace progress.json in one step. */
export function writeProgress(folder: string, progress: Progress): void {
  const file = path.join(folder, 'progress.json');
  writeFileSync(`${file}.new`, JSON.stringify(progress), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function segmentFile(folder: string, id: number): string {
  return path.join(folder, `${String(id).padStart(8, '0')}.seg`);
}

/** Ids of the segments in the folder, ascending. */
export function listSegmentIds(folder: string): number[] {
  return readdirSync(folder)
    .filter((name) => /^\d{8,}\.seg$/.test(name))
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b);
}

export function listQueueFolders(parent: string): string[] {
  try {
    return readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => path.join(parent, entry.name));
  } catch {
    return [];
  }
}

export function removeQueueFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

export function sameIdentity(a: QueueIdentity, b: QueueIdentity): boolean {
  return (
    a.url === b.url && a.project === b.project && a.runner.name === b.runner.name && a.source === b.source
  );
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
