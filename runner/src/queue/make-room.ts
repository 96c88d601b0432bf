/** How a full queue gets smaller: the oldest items that were never sent go, and a gap stands in their place. */
import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { encodeRecord } from './record';
import { encodeHeader, fillSegment, type QueueRecord, readSegment, type Segment } from './segment';
import { thinRecords } from './thin-records';

export interface Thinning {
  dropped: number;
  failure: unknown;
}

/**
 * Thins a segment, together with the thinned one before it, whose place it takes: however long a queue is
 * full, its gaps do not pile up. The caller removes `joined` afterwards; until then both files tell the same.
 * @returns how many items are gone, and why the file could not be replaced: the thinned items then are in
 *   memory alone.
 */
export function thinSegment(segment: Segment, joined: Segment | null, keepLifecycle: boolean): Thinning {
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
  if (joined) joined.pending = 0;
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
