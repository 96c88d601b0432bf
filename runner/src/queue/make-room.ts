/** How a full queue gets smaller: the oldest items that were never sent go, and a gap stands in their place. */
import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { encodeRecord } from './record';
import { encodeHeader, fillSegment, type QueueRecord, readSegment, type Segment } from './segment';
import { thinRecords } from './thin-records';

export interface Room {
  /** Items that are gone. */
  dropped: number;
  /** Why a file could not be replaced, or null: the thinned items then are in memory alone. */
  failure: unknown;
}

export interface RoomOptions {
  maxBytes: number;
  /** Items up to this seq may be on the wire: a gap must never take the seq of one. */
  neverSentAfter: number;
  /** The segment being written, which is left alone. */
  active: Segment;
}

/** Bytes of all segments. */
export function sizeOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Brings the segments within the bound, oldest first. The turns go; only where that is not enough, because all
 * is restarts and compactions, those go too.
 * @param segments changed in place: a thinned one that another took in is removed, with its file.
 */
export function makeRoom(segments: Segment[], { maxBytes, neverSentAfter, active }: RoomOptions): Room {
  const room: Room = { dropped: 0, failure: null };
  for (const keepLifecycle of [true, false]) {
    for (let i = 0; i < segments.length && sizeOf(segments) > maxBytes; i += 1) {
      const segment = segments[i];
      if (!segment || segment === active || segment.firstSeq <= neverSentAfter) continue;
      if (segment.thinned && keepLifecycle) continue;
      const before = segments[i - 1];
      const joined = before?.thinned && before.firstSeq > neverSentAfter ? before : null;
      const { dropped, failure } = thinSegment(segment, joined, keepLifecycle);
      room.dropped += dropped;
      room.failure ??= failure;
      if (!joined) continue;
      segments.splice(i - 1, 1);
      if (joined.file) removeFile(joined.file);
      i -= 1;
    }
  }
  return room;
}

/**
 * Thins a segment, together with the thinned one before it, whose place it takes: however long a queue is
 * full, its gaps do not pile up. Until the caller removes `joined`, both files tell the same.
 */
function thinSegment(segment: Segment, joined: Segment | null, keepLifecycle: boolean): Room {
  const records = [...(joined ? unsettledOf(joined) : []), ...unsettledOf(segment)];
  const thinned = thinRecords(records, keepLifecycle);
  const firstSeq = Math.min(joined?.firstSeq ?? segment.firstSeq, segment.firstSeq);
  const lines = thinned.records.map((record) => encodeRecord(record.json));
  const bytes = Buffer.concat([encodeHeader(firstSeq, true), ...lines]);
  segment.firstSeq = firstSeq;
  segment.bytes = bytes.length;
  segment.pending = thinned.records.length;
  segment.records = thinned.records;
  segment.thinned = true;
  return { dropped: thinned.dropped, failure: replaceFile(segment, bytes) };
}

function unsettledOf(segment: Segment): QueueRecord[] {
  if (!segment.records && segment.file) fillSegment(segment, readSegment(readOrEmpty(segment.file)).records);
  return (segment.records ?? []).filter((record) => !record.settled);
}

function replaceFile(segment: Segment, bytes: Buffer): unknown {
  const { file } = segment;
  if (file === null) return null;
  try {
    writeFileSync(`${file}.new`, bytes, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    return null;
  } catch (error) {
    segment.file = null;
    removeFile(file);
    return error;
  }
}

function readOrEmpty(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

export function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Already gone, or the folder is: what is delivered twice is a duplicate, and harmless.
  }
}
