/**
 * A segment: a stretch of the queue in one append-only file. The first line says which seq it begins with, so
 * that a queue never counts a seq twice, even after everything before it was acknowledged and deleted.
 */
import type { SeqRange } from '../../../core/protocol/messages';
import { inRanges, normalizeRanges, toRanges } from '../../../core/protocol/ranges';
import { decodeRecords, encodeRecord } from './record';

/** One item in the queue, as the JSON that goes over the wire. */
export interface QueueRecord {
  readonly seq: number;
  readonly json: string;
  settled: boolean;
}

export interface Segment {
  readonly id: number;
  /** Path of the file; null: it could not be written and lives in memory alone. */
  file: string | null;
  firstSeq: number;
  lastSeq: number;
  /** Bytes of its file (or of what the file would hold). */
  bytes: number;
  /** Items not settled yet. */
  pending: number;
  /** Its items in ascending seq, or null while only the file holds them. */
  records: QueueRecord[] | null;
  /** Settled while the items were not in memory; applied when they are read. */
  settledRanges: SeqRange[];
  /** Whether turns were dropped from it. */
  thinned: boolean;
}

/** A segment that holds nothing yet. */
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

export interface ReadSegment {
  header: { first: number; thinned: boolean } | null;
  records: QueueRecord[];
  damaged: number;
}

/** Reads what a segment's file holds; damaged lines are left out and counted. */
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

/** Marks what the ranges hold as settled. @returns what became settled just now. */
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

/** Puts items read from the file into the segment, as settled as it knows them to be. */
export function fillSegment(segment: Segment, records: QueueRecord[]): void {
  segment.records = records.filter((record) => !inRanges(segment.settledRanges, record.seq));
  segment.pending = segment.records.length;
  segment.settledRanges = [];
}

/** Lets go of the items in memory where the file holds them. */
export function unloadSegment(segment: Segment): void {
  if (!segment.records || segment.file === null) return;
  segment.settledRanges = toRanges(segment.records.filter(({ settled }) => settled).map(({ seq }) => seq));
  segment.records = null;
}
