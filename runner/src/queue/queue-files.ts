/**
 * The files of a queue folder: `queue.json` (owner, server, stream id), `lock`, `progress.json` (settled, reserved and
 * appended seqs) and append-only segments `00000001.seg`, `00000002.seg` … Folders are 0700 and files 0600: they contain
 * titles and checkpoints.
 *
 * Each line of a segment is eight hexadecimal digits of CRC-32, a space and JSON. The checksum detects damaged lines. The
 * first line has the segment's first seq, so that a queue never reuses a seq, and the content of `queue.json`, in case that
 * file is damaged.
 */

import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { compileSchema, Fault, type JsonSchema } from '../../../core/protocol/compile-schema';
import type { ProjectSource, SeqRange, SourceName } from '../../../core/protocol/messages';
import { toRanges } from '../../../core/protocol/ranges';
import { readJson, readText, replaceFile } from '../private-files';

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

export interface ProgressFile {
  settled: SeqRange[];
  /** Items beyond this seq were never sent. */
  reservedThrough: number;
  /** Items up to this seq were appended, so a file that ends earlier was cut. */
  appendedThrough: number;
}

/** Seqs reserved ahead of sending, so that reserving does not cost a write per item. */
export const RESERVE_AHEAD = 10_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const text: JsonSchema = { type: 'string' };
export const number: JsonSchema = { type: 'number' };
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
    stream: { ...text, pattern: UUID.source, description: 'a uuid' },
    createdAt: number,
  },
  required: ['url', 'project', 'runner', 'source', 'format', 'stream', 'createdAt'],
});
/** Null: not the expected content. */
export function valid<T>(value: unknown): T | null {
  return value instanceof Fault ? null : (value as T);
}

export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // An existing folder may have another mode.
  chmodSync(folder, 0o700);
}

export function writeQueueFile(folder: string, file: QueueFile): void {
  replaceFile(path.join(folder, 'queue.json'), `${JSON.stringify(file, null, 2)}\n`, true);
}

/** The content of `queue.json`; if the file is damaged, its copy in a segment. Null: no copy, or a later format. */
export function readQueueFile(folder: string): QueueFile | null {
  if (isLaterFormat(folder)) return null;
  return readIntactQueueFile(folder) ?? readQueueCopy(folder);
}

/** Null: the file is missing or damaged, or has a later format. */
export function readIntactQueueFile(folder: string): QueueFile | null {
  return valid<QueueFile>(readQueue(readJson(path.join(folder, 'queue.json'))));
}

export function isLaterFormat(folder: string): boolean {
  const { format } = (readJson(path.join(folder, 'queue.json')) ?? {}) as { format?: unknown };
  return typeof format === 'number' && format > 1;
}

function readQueueCopy(folder: string): QueueFile | null {
  for (const id of listSegments(folder)) {
    const file = segmentFile(folder, id);
    const { header } = readSegment(Buffer.from(readText(file)));
    const createdAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const copy = valid<QueueFile>(readQueue({ createdAt, ...header?.queue }));
    if (copy?.stream === path.basename(folder)) return copy;
  }
  return null;
}

/** Ids of the segments in a folder, ascending; empty if the folder cannot be read. */
export function listSegments(folder: string): number[] {
  try {
    const names = readdirSync(folder).filter((name) => /^\d{8,}\.seg$/.test(name));
    return names.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
  } catch {
    return [];
  }
}

export function writeProgress(folder: string, progress: ProgressFile): void {
  const content = JSON.stringify({ ...progress, checksum: checksumOf(progress) });
  replaceFile(path.join(folder, 'progress.json'), content);
}

export function checksumOf({ settled, reservedThrough, appendedThrough }: ProgressFile): string {
  return crc32(Buffer.from(JSON.stringify([settled, reservedThrough, appendedThrough]))).toString(16);
}

export function segmentFile(folder: string, id: number): string {
  return path.join(folder, `${String(id).padStart(8, '0')}.seg`);
}

/** The queue folders in a folder. */
export function listFolders(parent: string): string[] {
  try {
    const names = readdirSync(parent).filter((name) => UUID.test(name));
    return names.map((name) => path.join(parent, name));
  } catch {
    return [];
  }
}

/** The readable queues in a folder, newest first. */
export function listQueues(parent: string): Array<{ folder: string; file: QueueFile }> {
  return listFolders(parent)
    .flatMap((folder) => {
      const file = readQueueFile(folder);
      return file === null ? [] : [{ folder, file }];
    })
    .sort((a, b) => b.file.createdAt - a.file.createdAt);
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
  /** Whether gaps replaced items of the segment. */
  thinned: boolean;
  /** Whether the file lacks unsettled items, as found when it was last read. */
  isDamaged: boolean;
  /** Invalid lines of the file, as found when it was last read. */
  invalid: readonly string[];
}

/** @param queue the content of `queue.json`. */
export function encodeHeader(firstSeq: number, thinned: boolean, queue?: object): Uint8Array {
  return encodeRecord(JSON.stringify({ segment: 1, first: firstSeq, thinned, queue }));
}

export interface ReadSegment {
  header: { first: number; thinned: boolean; queue?: object } | null;
  records: QueueRecord[];
  /** Invalid lines, without an incomplete last line. */
  invalid: string[];
  /** Whether the last line is incomplete. */
  isCut: boolean;
}

/** Read a segment's file; invalid lines are skipped. Never throws. */
export function readSegment(content: Uint8Array): ReadSegment {
  const lines = Buffer.from(content).toString().split('\n');
  const read: ReadSegment = { header: null, records: [], invalid: [], isCut: lines.pop() !== '' };
  for (const line of lines) {
    const json = line.slice(PREFIX_LENGTH);
    const value = line === encodeLine(json) ? parse(json) : null;
    if (typeof value?.seq === 'number') read.records.push({ seq: value.seq, json });
    else if (value?.segment === 1 && typeof value.first === 'number') {
      const queue = value.queue instanceof Object ? { queue: value.queue } : {};
      read.header = { first: value.first, thinned: value.thinned === true, ...queue };
    } else read.invalid.push(line);
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
