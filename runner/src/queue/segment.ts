/**
 * A segment: a part of the queue in one append-only file. Each line is eight hexadecimal digits of CRC-32, a space and
 * one line of JSON; the checksum detects lines that a power loss cut off. The first line has the segment's first seq, so
 * that a queue never reuses a seq, even after all earlier items were acknowledged and deleted.
 */
import type { SeqRange } from '../../../core/protocol/messages';
import { toRanges } from '../../../core/protocol/ranges';

/** One item in the queue, as the JSON of the wire. */
export interface QueueRecord {
  readonly seq: number;
  readonly json: string;
}

export interface Segment {
  readonly id: number;
  /** Path of the file; null: it could not be written and is in memory only. */
  file: string | null;
  firstSeq: number;
  lastSeq: number;
  /** Bytes of its file, or of what the file would hold. */
  bytes: number;
  /** Its items in ascending seq; null while only the file has them. */
  records: QueueRecord[] | null;
  /** Whether turns were dropped from it. */
  thinned: boolean;
}

export function encodeHeader(firstSeq: number, thinned: boolean): Uint8Array {
  return encodeRecord(JSON.stringify({ segment: 1, first: firstSeq, thinned }));
}

export interface ReadSegment {
  header: { first: number; thinned: boolean } | null;
  records: QueueRecord[];
  /** Number of invalid lines, without an incomplete last one as a killed process leaves it. */
  damaged: number;
}

/** Read a segment's file; invalid lines are skipped. Never throws. */
export function readSegment(content: Uint8Array): ReadSegment {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  const read: ReadSegment = { header: null, records: [], damaged: 0 };
  let end = 0;
  for (let start = 0; start < bytes.length; start = end + 1) {
    end = bytes.indexOf(LINE_FEED, start);
    if (end === -1) break;
    const json = decodeLine(bytes.subarray(start, end));
    const value = json === null ? null : parse(json);
    if (json !== null && typeof value?.seq === 'number') read.records.push({ seq: value.seq, json });
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

/** CRC-32 as zlib computes it; built into Node from 20.15 on only. */
function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; i += 1) c = (table[(c ^ (bytes[i] ?? 0)) & 0xff] ?? 0) ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

const PREFIX_BYTES = 9;
const LINE_FEED = 0x0a;

/** @param json one line of JSON. @returns the bytes to append, including the newline. */
export function encodeRecord(json: string): Uint8Array {
  const body = Buffer.byteLength(json);
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + body + 1);
  bytes.write(json, PREFIX_BYTES);
  const sum = crc32(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + body));
  bytes.write(`${sum.toString(16).padStart(8, '0')} `, 0, 'latin1');
  bytes[PREFIX_BYTES + body] = LINE_FEED;
  return bytes;
}

function decodeLine(line: Buffer): string | null {
  if (line.length <= PREFIX_BYTES || line[8] !== 0x20) return null;
  const body = line.subarray(PREFIX_BYTES);
  const sum = Number.parseInt(line.toString('latin1', 0, 8), 16);
  return sum === crc32(body) ? body.toString('utf8') : null;
}
