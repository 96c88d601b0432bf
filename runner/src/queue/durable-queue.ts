/**
 * The durable queue of one stream: what was handed over and is not acknowledged yet.
 *
 * It owns one locked folder of segment files. An item is in the operating system's hands before `append`
 * returns, so a killed process loses nothing; it is on the disk at most a second later, so a power loss costs
 * at most that. It trades completeness for a bound: beyond `maxBytes` the oldest items never sent make room,
 * and a gap stands where they were.
 *
 * Memory holds the segment being written and the ones being sent; the others stay in their files until their
 * turn comes.
 */
import { readFile } from 'node:fs';
import type { SeqRange } from '../../../core/protocol/messages';
import { makeRoom, removeFile, sizeOf } from './make-room';
import { type Progress, removeQueueFolder, segmentFile, writeProgress } from './queue-folder';
import { releaseLock, touchLock } from './queue-lock';
import { encodeRecord } from './record';
import {
  emptySegment,
  encodeHeader,
  fillSegment,
  indexAfter,
  type QueueRecord,
  readSegment,
  type Segment,
  type SettledInSegment,
  settleInSegment,
  unloadSegment,
} from './segment';
import { findFirstOutstanding, findRecord, listOutstanding, listSettled } from './segment-list';
import { SegmentWriter } from './segment-writer';

export interface QueueOptions {
  /** The locked folder, or null: memory only, because no folder could be had. */
  folder: string | null;
  maxBytes: number;
  /** Segments found in the folder, oldest first. */
  recovered: Segment[];
  nextSeq: number;
  progress: Progress | null;
  /** Something a person should know; the queue goes on. */
  warn(message: string, fields: Record<string, unknown>): void;
}

/** Bytes of written segments that stay in memory although they are not being sent. */
const MEMORY_BYTES = 4 * 1024 * 1024;
const MIN_SEGMENT_BYTES = 16 * 1024;
const MAX_SEGMENT_BYTES = 1024 * 1024;
/** How many seqs ahead of sending are noted as perhaps sent, so that noting costs nothing per item. */
const RESERVE_AHEAD = 10_000;

export class DurableQueue {
  /** Items dropped because the queue was full, since it was opened. */
  dropped = 0;
  /** False once a write failed: what came since may lie in memory alone. */
  durable: boolean;

  private readonly segments: Segment[];
  private readonly segmentBytes: number;
  private readonly writer: SegmentWriter;
  private active: Segment;
  private lastId: number;
  private seq: number;
  private reservedThrough: number;
  private progressDirty = false;
  private closed = false;

  constructor(private readonly options: QueueOptions) {
    const { folder, recovered, progress, maxBytes, nextSeq } = options;
    this.segmentBytes = Math.max(MIN_SEGMENT_BYTES, Math.min(MAX_SEGMENT_BYTES, Math.floor(maxBytes / 16)));
    this.segments = recovered;
    this.seq = nextSeq;
    this.durable = folder !== null;
    this.lastId = recovered.at(-1)?.id ?? 0;
    // Without noted progress all that was found may have been sent.
    this.reservedThrough = progress?.reservedThrough ?? nextSeq - 1;
    this.writer = new SegmentWriter(folder, (error) =>
      this.warn('The queue could not be brought to the disk.', error),
    );
    this.active = this.beginSegment();
    this.settle(progress?.settled ?? []);
  }

  /** The seq the next item gets. */
  get nextSeq(): number {
    return this.seq;
  }

  /** Items not settled. */
  get pending(): number {
    return this.segments.reduce((sum, { pending }) => sum + pending, 0);
  }

  /** Bytes of all segments. */
  get bytes(): number {
    return sizeOf(this.segments);
  }

  /**
   * Takes an item over. Costs one append write.
   * @param json one line of JSON that carries `nextSeq` as its seq.
   */
  append(json: string): void {
    const line = encodeRecord(json);
    if (this.active.bytes > 0 && this.active.bytes + line.length > this.segmentBytes) this.rotate();
    const isFirst = this.active.bytes === 0;
    const bytes = isFirst ? Buffer.concat([encodeHeader(this.seq, false), line]) : line;
    if (isFirst) this.active.firstSeq = this.seq;
    this.write(bytes);
    this.active.records?.push({ seq: this.seq, json, settled: false });
    this.active.lastSeq = this.seq;
    this.active.bytes += bytes.length;
    this.active.pending += 1;
    this.seq += 1;
    if (this.active.bytes > this.segmentBytes / 2) this.writer.prepareNext();
  }

  /**
   * The next items to send.
   * @param afterSeq what was sent already.
   * @param onLoaded called once items that had to be read from the disk are there; ask again then.
   */
  next(afterSeq: number, maxItems: number, maxBytes: number, onLoaded: () => void): QueueRecord[] {
    const batch: QueueRecord[] = [];
    let bytes = 0;
    for (const segment of this.segments) {
      if (segment.lastSeq <= afterSeq || segment.pending === 0) continue;
      if (!segment.records) {
        if (batch.length === 0) this.load(segment, onLoaded);
        break;
      }
      for (let i = indexAfter(segment.records, afterSeq); i < segment.records.length; i += 1) {
        const record = segment.records[i];
        if (!record || record.settled) continue;
        const isFull = batch.length >= maxItems || bytes + record.json.length > maxBytes;
        if (batch.length > 0 && isFull) return this.reserve(batch);
        batch.push(record);
        bytes += record.json.length;
      }
    }
    return this.reserve(batch);
  }

  /** Marks items as acknowledged, refused or already held by the server, and lets go of their segments. */
  settle(ranges: readonly SeqRange[]): SettledInSegment {
    const total: SettledInSegment = { items: 0, bytes: 0 };
    if (ranges.length === 0) return total;
    for (const segment of this.segments) {
      if (segment.pending === 0) continue;
      const settled = settleInSegment(segment, ranges);
      total.items += settled.items;
      total.bytes += settled.bytes;
    }
    if (total.items > 0) this.progressDirty = true;
    this.dropSettledSegments();
    return total;
  }

  /** Seqs not settled, as ranges; those in files not read yet as the range of their segment. */
  outstanding(): SeqRange[] {
    return listOutstanding(this.segments);
  }

  /** Lowest seq not settled; infinite when there is none. */
  firstOutstanding(): number {
    return findFirstOutstanding(this.segments);
  }

  /** An item in memory, to tell a person which one was refused. */
  find(seq: number): QueueRecord | null {
    return findRecord(this.segments, seq);
  }

  /** Once a second: brings to the disk what is only in the operating system's hands, and notes progress. */
  sync(): void {
    this.writer.sync();
    if (this.progressDirty) this.saveProgress();
  }

  /** Tells other processes that this queue's owner lives. */
  heartbeat(now: number): void {
    if (this.options.folder) touchLock(this.options.folder, now);
  }

  /** Lets go of the folder; an empty queue leaves nothing behind. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.writer.close();
    const { folder } = this.options;
    if (!folder) return;
    if (this.pending === 0) {
      removeQueueFolder(folder);
      return;
    }
    this.saveProgress();
    releaseLock(folder);
  }

  private beginSegment(): Segment {
    const { folder } = this.options;
    this.lastId += 1;
    const file = folder === null ? null : segmentFile(folder, this.lastId);
    const segment = emptySegment(this.lastId, file, this.seq);
    this.segments.push(segment);
    try {
      this.writer.begin(segment.id);
    } catch (error) {
      segment.file = null;
      this.warnNotDurable(error);
    }
    return segment;
  }

  private rotate(): void {
    const old = this.active;
    this.active = this.beginSegment();
    if (this.loadedBytes() > MEMORY_BYTES && old.firstSeq > this.reservedThrough) unloadSegment(old);
    this.makeRoom();
    this.dropSettledSegments();
  }

  private loadedBytes(): number {
    return this.segments.reduce((sum, segment) => sum + (segment.records ? segment.bytes : 0), 0);
  }

  /** After a failed write the segment goes on in memory alone; the next one tries the disk again. */
  private write(bytes: Buffer): void {
    if (this.active.file === null) return;
    try {
      this.writer.write(bytes);
    } catch (error) {
      this.writer.abandon();
      this.active.file = null;
      this.warnNotDurable(error);
    }
  }

  private load(segment: Segment, onLoaded: () => void): void {
    if (segment.file === null) return;
    readFile(segment.file, (error, bytes) => {
      if (segment.records || this.closed || !this.segments.includes(segment)) return;
      const { records, damaged } = readSegment(error ? Buffer.alloc(0) : bytes);
      if (error) this.warn('A part of the queue cannot be read.', error);
      if (damaged > 0) this.options.warn('Items in the queue were damaged and are lost.', { damaged });
      fillSegment(segment, records);
      this.dropSettledSegments();
      onLoaded();
    });
  }

  /** Notes ahead what will be sent: a gap must never take the seq of an item that may be on the wire. */
  private reserve(batch: QueueRecord[]): QueueRecord[] {
    const last = batch.at(-1)?.seq ?? 0;
    if (last > this.reservedThrough) {
      this.reservedThrough = last + RESERVE_AHEAD;
      this.saveProgress();
    }
    return batch;
  }

  private saveProgress(): void {
    const { folder } = this.options;
    this.progressDirty = false;
    if (folder === null) return;
    try {
      writeProgress(folder, {
        settled: listSettled(this.segments, this.seq),
        reservedThrough: this.reservedThrough,
      });
    } catch (error) {
      this.warn('The progress of the queue could not be noted.', error);
    }
  }

  private dropSettledSegments(): void {
    for (let i = this.segments.length - 1; i >= 0; i -= 1) {
      const segment = this.segments[i];
      if (!segment || segment.pending > 0) continue;
      if (segment === this.active) segment.records = [];
      // The last one that was written stays, and with it the knowledge of the next seq.
      else if (this.active.bytes > 0 || segment.file === null) this.removeSegment(i, segment);
    }
  }

  private removeSegment(index: number, segment: Segment): void {
    this.segments.splice(index, 1);
    if (segment.file) removeFile(segment.file);
  }

  private makeRoom(): void {
    const { dropped, failure } = makeRoom(this.segments, {
      maxBytes: this.options.maxBytes,
      neverSentAfter: this.reservedThrough,
      active: this.active,
    });
    this.dropped += dropped;
    if (failure !== null) this.warnNotDurable(failure);
  }

  private warnNotDurable(error: unknown): void {
    this.durable = false;
    this.warn('The queue cannot be written; items wait in memory.', error);
  }

  private warn(message: string, error: unknown): void {
    this.options.warn(message, { reason: error instanceof Error ? error.message : String(error) });
  }
}
