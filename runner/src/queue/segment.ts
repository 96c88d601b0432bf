/**
 * A segment: a part of the queue in one append-only file. Each line is eight hexadecimal digits of CRC-32, a space and
 * one line of JSON; the checksum detects lines that a power loss cut off. The first line has the segment's first seq, so
 * that a queue never reuses a seq, even after all earlier items were acknowledged and deleted.
 */
import type { SeqRange } from '../../../core/protocol/messages';
import { inRanges, normalizeRanges, toRanges } from '../../../core/protocol/ranges';

/** One item in the queue, as the JSON of the wire. */
export interface QueueRecord {
  readonly seq: number;
  readonly json: string;
  settled: boolean;
}

export interface Segment {
  readonly id: number;
  /** Path of the file; null: it could not be written and is in memory only. */
  file: string | null;
  firstSeq: number;
  lastSeq: number;
  /** Bytes of its file, or of what the file would hold. */
  bytes: number;
  /** Number of items that are not settled. */
  pending: number;
  /** Its items in ascending seq; null while only the file has them. */
  records: QueueRecord[] | null;
  /** Settled while the items were not in memory; applied when they are read again. */
  settledRanges: SeqRange[];
  /** Whether turns were dropped from it. */
  thinned: boolean;
}

/** An empty segment. */
export function emptySegment(id: number, file: string | null, firstSeq: number): Segment {
  const none = { bytes: 0, pending: 0, records: [], settledRanges: [], thinned: false };
  return { id, file, firstSeq, lastSeq: firstSeq - 1, ...none };
}

interface Header {
  segment: 1;
  first: number;
  thinned: boolean;
}

export function encodeHeader(firstSeq: number, thinned: boolean): Buffer {
  return encodeRecord(JSON.stringify({ segment: 1, first: firstSeq, thinned } satisfies Header));
}

interface ReadSegment {
  header: { first: number; thinned: boolean } | null;
  records: QueueRecord[];
  damaged: number;
}

/** Read a segment's file; damaged lines are skipped and counted. */
export function readSegment(bytes: Buffer): ReadSegment {
  const { lines, damaged } = decodeRecords(bytes);
  const records: QueueRecord[] = [];
  let header: ReadSegment['header'] = null;
  let unreadable = 0;
  for (const json of lines) {
    const value = parse(json);
    if (value?.segment === 1 && typeof value.first === 'number') {
      header = { first: value.first, thinned: value.thinned === true };
    } else if (typeof value?.seq === 'number') {
      records.push({ seq: value.seq, json, settled: false });
    } else {
      unreadable += 1;
    }
  }
  records.sort((a, b) => a.seq - b.seq);
  return { header, records, damaged: damaged + unreadable };
}

function parse(json: string): Record<string, unknown> | null {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** Index of the first record with a seq above the given one. */
export function indexAfter(records: readonly QueueRecord[], seq: number): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((records[middle]?.seq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface SettledInSegment {
  items: number;
  bytes: number;
}

/** Mark items as settled. @returns what was not settled before. */
export function settleInSegment(segment: Segment, ranges: readonly SeqRange[]): SettledInSegment {
  const result: SettledInSegment = { items: 0, bytes: 0 };
  for (const [first, last] of ranges) {
    if (last < segment.firstSeq || first > segment.lastSeq) continue;
    if (!segment.records) {
      segment.settledRanges = normalizeRanges([...segment.settledRanges, [first, last]]);
      if (first <= segment.firstSeq && last >= segment.lastSeq) {
        result.items += segment.pending;
        segment.pending = 0;
      }
      continue;
    }
    for (let i = indexAfter(segment.records, first - 1); i < segment.records.length; i += 1) {
      const record = segment.records[i];
      if (!record || record.seq > last) break;
      if (record.settled) continue;
      record.settled = true;
      segment.pending -= 1;
      result.items += 1;
      result.bytes += record.json.length;
    }
  }
  return result;
}

/** Put items read from the file into the segment, without settled ones. */
export function fillSegment(segment: Segment, records: QueueRecord[]): void {
  segment.records = records.filter((record) => !inRanges(segment.settledRanges, record.seq));
  segment.pending = segment.records.length;
  segment.settledRanges = [];
}

/** Drop the items from memory if the file has them. */
export function unloadSegment(segment: Segment): void {
  if (!segment.records || segment.file === null) return;
  segment.settledRanges = toRanges(segment.records.filter(({ settled }) => settled).map(({ seq }) => seq));
  segment.records = null;
}

/** Seqs that are not settled, as ranges; a segment that is not in memory counts as a whole. */
export function listOutstanding(segments: readonly Segment[]): SeqRange[] {
  const ranges: SeqRange[] = [];
  const add = (first: number, last: number) => {
    const previous = ranges.at(-1);
    if (previous && previous[1] + 1 >= first) previous[1] = last;
    else ranges.push([first, last]);
  };
  for (const segment of segments) {
    if (segment.pending === 0) continue;
    if (!segment.records) add(segment.firstSeq, segment.lastSeq);
    for (const record of segment.records ?? []) if (!record.settled) add(record.seq, record.seq);
  }
  return ranges;
}

/** Settled seqs among those given out, as ranges in no particular order. */
export function listSettled(segments: readonly Segment[], nextSeq: number): SeqRange[] {
  const settled: SeqRange[] = [];
  let from = 1;
  for (const [first, last] of listOutstanding(segments)) {
    if (first > from) settled.push([from, first - 1]);
    from = last + 1;
  }
  if (nextSeq > from) settled.push([from, nextSeq - 1]);
  for (const segment of segments) if (!segment.records) settled.push(...segment.settledRanges);
  return settled;
}

/** Lowest seq that is not settled; infinite if there is none. */
export function findFirstOutstanding(segments: readonly Segment[]): number {
  const segment = segments.find(({ pending }) => pending > 0);
  if (!segment) return Number.POSITIVE_INFINITY;
  return segment.records?.find(({ settled }) => !settled)?.seq ?? segment.firstSeq;
}

/** An item in memory. */
export function findRecord(segments: readonly Segment[], seq: number): QueueRecord | null {
  for (const { records, firstSeq, lastSeq } of segments) {
    if (!records || seq < firstSeq || seq > lastSeq) continue;
    const record = records[indexAfter(records, seq - 1)];
    if (record?.seq === seq) return record;
  }
  return null;
}

const table = new Uint32Array(256);
for (let n = 0; n < 256; n += 1) {
  let c = n;
  for (let bit = 0; bit < 8; bit += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  table[n] = c;
}

/** CRC-32 as zlib computes it; built into Node from 20.15 on only. */
export function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; i += 1) c = (table[(c ^ (bytes[i] ?? 0)) & 0xff] ?? 0) ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

const PREFIX_BYTES = 9;

/** @param json one line of JSON. @returns the bytes to append, including the newline. */
export function encodeRecord(json: string): Buffer {
  const body = Buffer.byteLength(json);
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + body + 1);
  bytes.write(json, PREFIX_BYTES);
  const sum = crc32(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + body));
  bytes.write(`${sum.toString(16).padStart(8, '0')} `, 0, 'latin1');
  bytes[PREFIX_BYTES + body] = 0x0a;
  return bytes;
}

interface DecodedLines {
  /** The JSON of every valid line, in order. */
  lines: string[];
  /** Number of invalid lines before the last one: a power loss wrote them in part. */
  damaged: number;
  /** Whether the last line is incomplete. */
  torn: boolean;
}

/** Decode a segment's bytes. Never throws. */
export function decodeRecords(bytes: Buffer): DecodedLines {
  const lines: string[] = [];
  let damaged = 0;
  let start = 0;
  let torn = false;
  while (start < bytes.length) {
    const end = bytes.indexOf(0x0a, start);
    const stop = end === -1 ? bytes.length : end;
    const line = decodeLine(bytes.subarray(start, stop));
    if (line !== null && end !== -1) lines.push(line);
    else if (stop === bytes.length || end === bytes.length - 1) torn = true;
    else damaged += 1;
    start = stop + 1;
  }
  return { lines, damaged, torn };
}

function decodeLine(line: Buffer): string | null {
  if (line.length <= PREFIX_BYTES || line[8] !== 0x20) return null;
  const sum = Number.parseInt(line.toString('latin1', 0, 8), 16);
  const body = line.subarray(PREFIX_BYTES);
  return sum === crc32(body) ? body.toString('utf8') : null;
}
