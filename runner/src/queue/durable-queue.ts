/**
 * The durable queue of one stream: items that the server has not acknowledged.
 *
 * It owns one locked folder of segment files. An item is in the operating system's hands before `append` returns, so a
 * killed process loses nothing; it is synced within a second, which bounds the loss of a power failure. Beyond
 * `maxBytes`, gaps replace the oldest items that were never sent.
 *
 * Memory has the segment being written and those being sent; the others stay in their files.
 */
import { readFile } from 'node:fs';
import type { SeqRange } from '../../../core/protocol/messages';
import { makeRoom, removeFile, sizeOf } from './make-room';
import { type Progress, removeQueueFolder, segmentFile, writeProgress } from './queue-folder';
import { releaseLock, touchLock } from './queue-lock';
import {
  emptySegment,
  encodeHeader,
  encodeRecord,
  fillSegment,
  findFirstOutstanding,
  findRecord,
  indexAfter,
  listOutstanding,
  listSettled,
  type QueueRecord,
  readSegment,
  type Segment,
  type SettledInSegment,
  settleInSegment,
  unloadSegment,
} from './segment';
import { SegmentWriter } from './segment-writer';

export interface QueueOptions {
  /** The locked folder; null: memory only. */
  folder: string | null;
  maxBytes: number;
  /** Segments found in the folder, oldest first. */
  recovered: Segment[];
  nextSeq: number;
  progress: Progress | null;
  warn(message: string, fields: Record<string, unknown>): void;
}

/** Bytes of segments kept in memory although they are not being sent. */
const MEMORY_BYTES = 4 * 1024 * 1024;
const MIN_SEGMENT_BYTES = 16 * 1024;
const MAX_SEGMENT_BYTES = 1024 * 1024;
/** Seqs reserved ahead of sending, so that reserving does not cost a write per item. */
const RESERVE_AHEAD = 10_000;

export class DurableQueue {
  /** Items dropped because the queue was full. */
  dropped = 0;
  /** False once a write failed: later items may be in memory only. */
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
    // Without recorded progress, everything found may have been sent.
    this.reservedThrough = progress?.reservedThrough ?? nextSeq - 1;
    this.writer = new SegmentWriter(folder, (error) => this.warn('The queue could not be synced.', error));
    this.active = this.beginSegment();
    this.settle(progress?.settled ?? []);
  }

  /** The seq the next item gets. */
  get nextSeq(): number {
    return this.seq;
  }

  /** Number of items that are not settled. */
  get pending(): number {
    return this.segments.reduce((sum, { pending }) => sum + pending, 0);
  }

  /** Bytes of all segments. */
  get bytes(): number {
    return sizeOf(this.segments);
  }

  /**
   * Add an item with one write.
   * @param json one line of JSON whose seq is `nextSeq`.
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
  }

  /**
   * The next items to send.
   * @param afterSeq the last seq that was sent.
   * @param onLoaded called once items were read from the disk; call `next` again then.
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

  /** Mark items as acknowledged, refused or already stored, and remove their segments. */
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

  /** Seqs that are not settled, as ranges. */
  outstanding(): SeqRange[] {
    return listOutstanding(this.segments);
  }

  /** Lowest seq that is not settled; infinite if there is none. */
  firstOutstanding(): number {
    return findFirstOutstanding(this.segments);
  }

  /** An item in memory, to describe a refusal. */
  find(seq: number): QueueRecord | null {
    return findRecord(this.segments, seq);
  }

  /** Sync to the disk and record progress; called once a second. */
  sync(): void {
    this.writer.sync();
    if (this.progressDirty) this.saveProgress();
  }

  /** Show other processes that this queue's owner is alive. */
  heartbeat(now: number): void {
    if (this.options.folder) touchLock(this.options.folder, now);
  }

  /** Release the folder; remove it if the queue is empty. */
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

  /** After a failed write the segment continues in memory; the next one tries the disk again. */
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

  /** Reserve seqs before sending: a gap must never reuse the seq of an item that may have been sent. */
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
      this.warn('The progress of the queue could not be written.', error);
    }
  }

  private dropSettledSegments(): void {
    for (let i = this.segments.length - 1; i >= 0; i -= 1) {
      const segment = this.segments[i];
      if (!segment || segment.pending > 0) continue;
      if (segment === this.active) segment.records = [];
      // The last written one stays: it has the next seq.
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
