/**
 * The files of a queue folder: `queue.json` (owner, server, stream id), `lock`, `progress.json` (settled and reserved
 * seqs) and segments `00000001.seg`, `00000002.seg` … Folders are 0700 and files 0600: they contain titles and
 * checkpoints. All Barograph clients use this format.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type SeqRange, sourceName } from '../../../core/protocol/messages';
import { normalizeRanges, toRanges } from '../../../core/protocol/ranges';
import { readJson, replaceFile } from '../private-files';
import { complement, readSegment, type Segment } from './segment';

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
  /** Items beyond this seq were never sent. */
  reservedThrough: z.number(),
});

/** What a folder has of its queue. */
export interface Recovered {
  segments: Segment[];
  nextSeq: number;
  /** Includes the seqs that no file has. */
  settled: SeqRange[];
  reservedThrough: number;
}

export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // An existing folder may have another mode.
  chmodSync(folder, 0o700);
}

export function writeQueueFile(folder: string, file: QueueFile): void {
  replaceFile(path.join(folder, 'queue.json'), `${JSON.stringify(file, null, 2)}\n`);
}

/** Null: its owner removed it, or another version wrote it. */
export function readQueueFile(folder: string): QueueFile | null {
  return queueFile.safeParse(readJson(path.join(folder, 'queue.json'))).data ?? null;
}

export function writeProgress(folder: string, progress: z.infer<typeof progressFile>): void {
  replaceFile(path.join(folder, 'progress.json'), JSON.stringify(progress));
}

export function segmentFile(folder: string, id: number): string {
  return path.join(folder, `${String(id).padStart(8, '0')}.seg`);
}

/** The readable queues in a folder, newest first. */
export function listQueues(parent: string): Array<{ folder: string; file: QueueFile }> {
  let names: string[] = [];
  try {
    names = readdirSync(parent).filter((name) => !name.startsWith('.'));
  } catch {
    // It does not exist.
  }
  return names
    .flatMap((name) => {
      const folder = path.join(parent, name);
      const file = readQueueFile(folder);
      return file === null ? [] : [{ folder, file }];
    })
    .sort((a, b) => b.file.createdAt - a.file.createdAt);
}

/** Read a queue's files. `damaged`: number of unreadable items. @throws what the file system throws. */
export function recoverQueue(folder: string): Recovered & { damaged: number } {
  const segments: Segment[] = [];
  const seqs: number[] = [];
  let nextSeq = 1;
  let damaged = 0;
  const ids = readdirSync(folder).flatMap((name) =>
    /^\d{8,}\.seg$/.test(name) ? Number.parseInt(name, 10) : [],
  );
  for (const id of ids.sort((a, b) => a - b)) {
    const file = segmentFile(folder, id);
    // A living owner may remove it meanwhile.
    if (!existsSync(file)) continue;
    const content = readFileSync(file);
    const { header, records, damaged: lost } = readSegment(content);
    const firstSeq = records[0]?.seq ?? header?.first ?? nextSeq;
    const lastSeq = records.at(-1)?.seq ?? firstSeq - 1;
    nextSeq = Math.max(nextSeq, lastSeq + 1, header?.first ?? 1);
    damaged += lost;
    for (const { seq } of records) seqs.push(seq);
    const thinned = header?.thinned ?? false;
    segments.push({ id, file, firstSeq, lastSeq, bytes: content.length, records: null, thinned });
  }
  const progress = progressFile.safeParse(readJson(path.join(folder, 'progress.json'))).data;
  const known = normalizeRanges(progress?.settled ?? []);
  // A damaged item may have been sent: its seq must not be used again.
  const sentThrough = damaged > 0 ? (progress?.reservedThrough ?? 0) : 0;
  nextSeq = Math.max(nextSeq, 1 + (known.at(-1)?.[1] ?? 0), 1 + sentThrough);
  const settled = normalizeRanges([...known, ...complement(toRanges(seqs), 1, nextSeq - 1)]);
  // Without recorded progress, everything found may have been sent.
  return { segments, nextSeq, settled, reservedThrough: progress?.reservedThrough ?? nextSeq - 1, damaged };
}
