/**
 * The files of a queue folder: `queue.json` (owner, server, stream id), `lock`, `progress.json` (settled and reserved
 * seqs) and append-only segments `00000001.seg`, `00000002.seg` … Folders are 0700 and files 0600: they contain titles and
 * checkpoints. All Barograph clients use this format.
 *
 * Each line of a segment is eight hexadecimal digits of CRC-32, a space and JSON. The checksum detects lines that a
 * power loss cut off. The first line has the segment's first seq, so that a queue never reuses a seq.
 */

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { compileSchema, Fault, type JsonSchema } from '../../../core/protocol/compile-schema';
import type { Item, ItemOf } from '../../../core/protocol/items';
import type { ProjectSource, SeqRange, SourceName } from '../../../core/protocol/messages';
import { parseItem } from '../../../core/protocol/parse-item';
import { normalizeRanges, toRanges } from '../../../core/protocol/ranges';
import { readJson, replaceFile } from '../private-files';

/** The runner that reports, and the server. */
export interface QueueIdentity {
  /** The ingest address, such as `ws://127.0.0.1:4680/v1/ingest`. */
  url: string;
  /** Project of the queue's sessions. */
  project: string;
  /** Where the project's name comes from. */
  projectSource?: ProjectSource | undefined;
  /** Name of the agent's client, such as `claude-code`. */
  client?: string | undefined;
  /** The program that reports. */
  runner: {
    /** Name of the program. */
    name: string;
    /** Name of its machine. */
    host?: string | undefined;
    /** Version of the program. */
    version?: string | undefined;
  };
  /** Source of the numbers. */
  source: SourceName;
}

export interface QueueFile extends QueueIdentity {
  format: 1;
  /** A random id of the queue. */
  stream: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

interface ProgressFile {
  settled: SeqRange[];
  /** Items beyond this seq were never sent. */
  reservedThrough: number;
}

const text: JsonSchema = { type: 'string' };
const number: JsonSchema = { type: 'number' };
const readQueue = compileSchema({
  type: 'object',
  properties: {
    url: text,
    project: text,
    projectSource: { enum: ['setting', 'folder', 'name'] satisfies ProjectSource[] },
    client: text,
    runner: { type: 'object', properties: { name: text, host: text, version: text }, required: ['name'] },
    source: { enum: ['transcript', 'sdk', 'hook', 'otlp'] satisfies SourceName[] },
    format: { const: 1 },
    stream: { ...text, pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', description: 'a uuid' },
    createdAt: number,
  },
  required: ['url', 'project', 'runner', 'source', 'format', 'stream', 'createdAt'],
});
const readProgress = compileSchema({
  type: 'object',
  properties: {
    settled: { type: 'array', items: { type: 'array', prefixItems: [number, number] } },
    reservedThrough: number,
  },
  required: ['settled', 'reservedThrough'],
});

/** Null: not the expected content. */
function valid<T>(value: unknown): T | null {
  return value instanceof Fault ? null : (value as T);
}

/** The queue in a folder. */
export interface Recovered {
  segments: Segment[];
  nextSeq: number;
  /** Includes seqs that are in no file. */
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

/** Null: the owner removed the file, or another version wrote it. */
export function readQueueFile(folder: string): QueueFile | null {
  return valid<QueueFile>(readQueue(readJson(path.join(folder, 'queue.json'))));
}

export function writeProgress(folder: string, progress: ProgressFile): void {
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
    // The folder does not exist.
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
    // A running owner may remove the file in the meantime.
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
  const progress = valid<ProgressFile>(readProgress(readJson(path.join(folder, 'progress.json'))));
  const known = normalizeRanges(progress?.settled ?? []);
  // A damaged item may have been sent: its seq must not be used again.
  const sentThrough = damaged > 0 ? (progress?.reservedThrough ?? 0) : 0;
  nextSeq = Math.max(nextSeq, 1 + (known.at(-1)?.[1] ?? 0), 1 + sentThrough);
  const settled = normalizeRanges([...known, ...complement(toRanges(seqs), 1, nextSeq - 1)]);
  // Without recorded progress, all items found on disk may have been sent.
  return { segments, nextSeq, settled, reservedThrough: progress?.reservedThrough ?? nextSeq - 1, damaged };
}

/** One item in the queue, as the JSON of the wire. */
export interface QueueRecord {
  readonly seq: number;
  readonly json: string;
}

export interface Segment {
  readonly id: number;
  /** Path of the file; null: the file could not be written, so the segment is in memory only. */
  file: string | null;
  firstSeq: number;
  lastSeq: number;
  /** Size of the file, or of what the file would contain. */
  bytes: number;
  /** Items in ascending seq; null while only the file has the items. */
  records: QueueRecord[] | null;
  /** Whether items were dropped from the segment. */
  thinned: boolean;
}

export function encodeHeader(firstSeq: number, thinned: boolean): Uint8Array {
  return encodeRecord(JSON.stringify({ segment: 1, first: firstSeq, thinned }));
}

export interface ReadSegment {
  header: { first: number; thinned: boolean } | null;
  records: QueueRecord[];
  /** Number of invalid lines. An incomplete last line, as left by a killed process, does not count. */
  damaged: number;
}

/** Read a segment's file; invalid lines are skipped. Never throws. */
export function readSegment(content: Uint8Array): ReadSegment {
  const read: ReadSegment = { header: null, records: [], damaged: 0 };
  // The last line is empty or incomplete.
  for (const line of Buffer.from(content).toString().split('\n').slice(0, -1)) {
    const json = line.slice(PREFIX_LENGTH);
    const value = line === encodeLine(json) ? parse(json) : null;
    if (typeof value?.seq === 'number') read.records.push({ seq: value.seq, json });
    else if (value?.segment === 1 && typeof value.first === 'number') {
      read.header = { first: value.first, thinned: value.thinned === true };
    } else read.damaged += 1;
  }
  read.records.sort((a, b) => a.seq - b.seq);
  return read;
}

function parse(json: string): Record<string, unknown> | null {
  try {
    return JSON.parse(json) as Record<string, unknown> | null;
  } catch {
    return null;
  }
}

/** The seqs from `first` to `last` outside the ranges, which are sorted and disjoint. */
export function complement(ranges: readonly SeqRange[], first: number, last: number): SeqRange[] {
  const outside: SeqRange[] = [];
  let from = first;
  for (const [begin, end] of ranges) {
    if (end < from) continue;
    if (begin > last) break;
    if (begin > from) outside.push([from, begin - 1]);
    from = end + 1;
  }
  if (from <= last) outside.push([from, last]);
  return outside;
}

export function countSeqs(ranges: readonly SeqRange[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** The seqs of a segment that are not among the records. */
export function missingSeqs({ firstSeq, lastSeq }: Segment, records: readonly QueueRecord[]): SeqRange[] {
  return complement(toRanges(records.map(({ seq }) => seq)), firstSeq, lastSeq);
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** CRC-32 as zlib computes it. Node has it only since 20.15. */
function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; i += 1) c = (table[(c ^ (bytes[i] ?? 0)) & 0xff] ?? 0) ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** Eight digits and a space. */
const PREFIX_LENGTH = 9;

function encodeLine(json: string): string {
  return `${crc32(Buffer.from(json)).toString(16).padStart(8, '0')} ${json}`;
}

/** @param json one line of JSON. @returns the bytes to append, including the newline. */
export function encodeRecord(json: string): Uint8Array {
  return Buffer.from(`${encodeLine(json)}\n`);
}

const DROPPED = new Set<Item['type']>(['turn', 'reading', 'compress', 'archive', 'gap']);
const REASON = 'The runner’s queue was full.';

/**
 * Replace items of the `DROPPED` types by gaps: one per session and chain, up to the session's next kept item.
 * @param records unsettled items in ascending seq. @returns `dropped`: number of newly dropped items.
 */
export function thinRecords(records: readonly QueueRecord[]): {
  records: QueueRecord[];
  dropped: number;
} {
  const gaps = new Map<string, ItemOf<'gap'>>();
  const kept: QueueRecord[] = [];
  let dropped = 0;
  const keep = (item: Item) => kept.push({ seq: item.seq, json: JSON.stringify(item) });
  for (const { json } of records) {
    const parsed = parseItem(JSON.parse(json));
    if (!parsed.ok) {
      dropped += 1;
      continue;
    }
    const { item } = parsed;
    if (!DROPPED.has(item.type)) {
      for (const [name, gap] of gaps) {
        if (gap.session !== item.session) continue;
        keep(gap);
        gaps.delete(name);
      }
      // Drop the checkpoint and the prompt, which may have 200 000 characters.
      keep(item.type === 'restart' ? { ...item, checkpoint: undefined, prompt: undefined } : item);
    } else {
      if (item.type !== 'gap') dropped += 1;
      addTo(gaps, item);
    }
  }
  for (const gap of gaps.values()) keep(gap);
  return { records: kept.sort((a, b) => a.seq - b.seq), dropped };
}

function addTo(gaps: Map<string, ItemOf<'gap'>>, item: Item): void {
  const { session, at, seq } = item;
  const chain = 'chain' in item ? item.chain : undefined;
  const name = JSON.stringify([session, chain ?? 'main']);
  const { from, count } = item.type === 'gap' ? item : { from: seq, count: 1 };
  const gap = gaps.get(name);
  gaps.set(name, {
    type: 'gap',
    seq,
    session,
    at,
    chain,
    from: Math.min(gap?.from ?? seq, from ?? seq),
    to: seq,
    count: (gap?.count ?? 0) + count,
    reason: REASON,
  });
}
