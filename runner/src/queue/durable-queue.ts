/**
 * The durable queue of one stream: what was handed over and is not acknowledged yet.
 *
 * It owns one locked folder of segment files. An item is in the operating system's hands before `append`
 * returns, so a killed process loses nothing; it is on the disk at most a second later, so a power loss costs
 * at most that. It trades a bounded size for completeness: beyond `maxBytes` the oldest items never sent make
 * room, and a gap stands where they were.
 *
 * Memory holds the segment being written and the ones being sent; the others stay in their files until their
 * turn comes.
 */
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  open,
  openSync,
  readFile,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import type { SeqRange } from '../../../core/protocol/messages';
import { type Progress, removeQueueFolder, segmentFile, writeProgress } from './queue-folder';
import { releaseLock, touchLock } from './queue-lock';
import { encodeRecord } from './record';
import {
  encodeHeader,
  fillSegment,
  indexAfter,
  type QueueRecord,
  readSegment,
  type Segment,
  settleInSegment,
} from './segment';
import { thinRecords } from './thin-records';

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

export interface Settled {
  items: number;
  bytes: number;
  records: QueueRecord[];
}

/** Bytes of unsent, already written segments that stay in memory for sending. */
const MEMORY_BYTES = 4 * 1024 * 1024;
const MIN_SEGMENT_BYTES = 16 * 1024;
const MAX_SEGMENT_BYTES = 1024 * 1024;
/** How many seqs ahead of sending are noted as perhaps sent, so that noting costs nothing per item. */
const RESERVE_AHEAD = 10_000;

export class DurableQueue {
  /** Items dropped because the queue was full, since it was opened. */
  dropped = 0;
  /** False once a write failed: what came since lies in memory alone. */
  durable: boolean;

  private readonly segments: Segment[];
  private readonly segmentBytes: number;
  private active: Segment;
  private fd: number | null = null;
  private spare: { id: number; fd: number } | null = null;
  private lastId: number;
  private seq: number;
  private totalBytes = 0;
  private items = 0;
  private reservedThrough: number;
  private progressDirty = false;
  private unsynced = false;
  private closed = false;

  constructor(private readonly options: QueueOptions) {
    const { recovered, progress, maxBytes } = options;
    this.segmentBytes = Math.max(MIN_SEGMENT_BYTES, Math.min(MAX_SEGMENT_BYTES, Math.floor(maxBytes / 16)));
    this.segments = recovered;
    this.seq = options.nextSeq;
    this.durable = options.folder !== null;
    this.lastId = recovered.at(-1)?.id ?? 0;
    // Unknown progress: all that was found may have been sent.
    this.reservedThrough = progress?.reservedThrough ?? options.nextSeq - 1;
    for (const segment of recovered) {
      this.totalBytes += segment.bytes;
      this.items += segment.pending;
    }
    this.active = this.beginSegment();
    this.settle(progress?.settled ?? []);
  }

  /** The seq the next item gets. */
  get nextSeq(): number {
    return this.seq;
  }

  /** Items not settled. */
  get pending(): number {
    return this.items;
  }

  /** Bytes of all segments. */
  get bytes(): number {
    return this.totalBytes;
  }

  /**
   * Takes an item over. Costs one append write.
   * @param json one line of JSON that carries `nextSeq` as its seq.
   */
  append(json: string): void {
    const record: QueueRecord = { seq: this.seq, json, settled: false };
    const line = encodeRecord(json);
    if (this.active.bytes > 0 && this.active.bytes + line.length > this.segmentBytes) this.rotate();
    const first = this.active.bytes === 0;
    const bytes = first ? Buffer.concat([encodeHeader(this.seq, false), line]) : line;
    if (first) this.active.firstSeq = this.seq;
    this.write(bytes);
    this.active.records?.push(record);
    this.active.lastSeq = this.seq;
    this.active.bytes += bytes.length;
    this.active.pending += 1;
    this.totalBytes += bytes.length;
    this.items += 1;
    this.seq += 1;
    this.prepareSpare();
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
        if (batch.length > 0 && (batch.length >= maxItems || bytes + record.json.length > maxBytes))
          return this.reserve(batch);
        batch.push(record);
        bytes += record.json.length;
      }
    }
    return this.reserve(batch);
  }

  /** Marks items as acknowledged, refused or already held by the server, and lets go of their segments. */
  settle(ranges: readonly SeqRange[]): Settled {
    const total: Settled = { items: 0, bytes: 0, records: [] };
    if (ranges.length === 0) return total;
    for (const segment of this.segments) {
      if (segment.pending === 0) continue;
      const settled = settleInSegment(segment, ranges);
      total.items += settled.items;
      total.bytes += settled.bytes;
      for (const record of settled.records) total.records.push(record);
      if (settled.items > 0) this.progressDirty = true;
    }
    this.items -= total.items;
    this.dropSettledSegments();
    return total;
  }

  /** Seqs not settled, as ranges; those in files not read yet as the range of their segment. */
  outstanding(): SeqRange[] {
    const ranges: SeqRange[] = [];
    const add = (first: number, last: number) => {
      const previous = ranges.at(-1);
      if (previous && previous[1] + 1 >= first) previous[1] = last;
      else ranges.push([first, last]);
    };
    for (const segment of this.segments) {
      if (segment.pending === 0) continue;
      if (!segment.records) add(segment.firstSeq, segment.lastSeq);
      for (const record of segment.records ?? []) if (!record.settled) add(record.seq, record.seq);
    }
    return ranges;
  }

  /** An unsettled item in memory, to tell a person which one was refused. */
  find(seq: number): QueueRecord | null {
    for (const segment of this.segments) {
      if (!segment.records || seq < segment.firstSeq || seq > segment.lastSeq) continue;
      const record = segment.records[indexAfter(segment.records, seq - 1)];
      if (record?.seq === seq) return record;
    }
    return null;
  }

  /** Once a second: brings to the disk what is only in the operating system's hands, and notes progress. */
  sync(): void {
    if (this.fd !== null && this.unsynced) {
      this.unsynced = false;
      fdatasync(this.fd, (error) => {
        if (error && !this.closed)
          this.options.warn('The queue could not be brought to the disk.', { error: error.message });
      });
    }
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
    if (this.fd !== null) closeDurably(this.fd);
    if (this.spare && this.spare.fd !== -1) closeSync(this.spare.fd);
    const { folder } = this.options;
    if (!folder) return;
    if (this.items === 0) {
      removeQueueFolder(folder);
      return;
    }
    this.saveProgress();
    releaseLock(folder);
  }

  private beginSegment(): Segment {
    const { folder } = this.options;
    this.lastId += 1;
    const segment: Segment = {
      id: this.lastId,
      file: folder === null ? null : segmentFile(folder, this.lastId),
      firstSeq: this.seq,
      lastSeq: this.seq - 1,
      bytes: 0,
      pending: 0,
      records: [],
      settledRanges: [],
      thinned: false,
    };
    this.segments.push(segment);
    if (segment.file) this.fd = this.takeSpare(segment.id) ?? this.openForAppend(segment);
    return segment;
  }

  private openForAppend(segment: Segment): number | null {
    if (!segment.file) return null;
    try {
      return openSync(segment.file, 'a', 0o600);
    } catch (error) {
      this.loseDurability(segment, error);
      return null;
    }
  }

  private takeSpare(id: number): number | null {
    const spare = this.spare;
    if (!spare || spare.id !== id) return null;
    this.spare = null;
    return spare.fd;
  }

  /** Opens the next segment's file ahead of time, so that the caller of `append` need not wait for it. */
  private prepareSpare(): void {
    const { folder } = this.options;
    if (folder === null || this.spare || this.active.bytes < this.segmentBytes / 2) return;
    const id = this.lastId + 1;
    this.spare = { id, fd: -1 };
    open(segmentFile(folder, id), 'a', 0o600, (error, fd) => {
      if (!error && !this.closed && this.lastId < id) this.spare = { id, fd };
      else {
        if (!error) closeSync(fd);
        this.spare = null;
      }
    });
  }

  private rotate(): void {
    const old = this.active;
    if (this.spare?.fd === -1) this.spare = null;
    if (this.fd !== null) {
      const fd = this.fd;
      this.fd = null;
      fdatasync(fd, () => closeSync(fd));
    }
    this.active = this.beginSegment();
    if (this.loadedBytes() > MEMORY_BYTES && old.file && old.firstSeq > this.reservedThrough) unload(old);
    if (this.totalBytes > this.options.maxBytes) this.makeRoom();
    this.dropSettledSegments();
  }

  private loadedBytes(): number {
    return this.segments.reduce((sum, segment) => sum + (segment.records ? segment.bytes : 0), 0);
  }

  private write(bytes: Buffer): void {
    if (this.fd === null) return;
    try {
      if (writeSync(this.fd, bytes) !== bytes.length) throw new Error('the disk took a part of an item only');
      this.unsynced = true;
    } catch (error) {
      this.loseDurability(this.active, error);
    }
  }

  /** The segment goes on in memory alone; the next one tries the disk again. */
  private loseDurability(segment: Segment, error: unknown): void {
    this.durable = false;
    segment.file = null;
    if (this.fd !== null) closeSync(this.fd);
    this.fd = null;
    const reason = error instanceof Error ? error.message : String(error);
    this.options.warn('The queue cannot be written; items wait in memory.', { reason });
  }

  private load(segment: Segment, onLoaded: () => void): void {
    if (!segment.file) return;
    readFile(segment.file, (error, bytes) => {
      if (segment.records || this.closed || !this.segments.includes(segment)) return;
      this.fill(segment, error ? Buffer.alloc(0) : bytes);
      onLoaded();
    });
  }

  private fill(segment: Segment, bytes: Buffer): void {
    const before = segment.pending;
    const { records, damaged } = readSegment(bytes);
    if (damaged > 0) this.options.warn('Items in the queue were damaged and are lost.', { damaged });
    fillSegment(segment, records);
    this.items += segment.pending - before;
    this.dropSettledSegments();
  }

  private reserve(batch: QueueRecord[]): QueueRecord[] {
    const last = batch.at(-1)?.seq ?? 0;
    if (last > this.reservedThrough) {
      this.reservedThrough = last + RESERVE_AHEAD;
      // Before the first of them can be on the wire: a gap must never take the seq of an item that was sent.
      this.saveProgress();
    }
    return batch;
  }

  private saveProgress(): void {
    const { folder } = this.options;
    this.progressDirty = false;
    if (folder === null) return;
    try {
      writeProgress(folder, { settled: this.settledRanges(), reservedThrough: this.reservedThrough });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.options.warn('The progress of the queue could not be noted.', { reason });
    }
  }

  /** What is settled among the seqs that still have a file: everything below the lowest outstanding one, and holes. */
  private settledRanges(): SeqRange[] {
    const settled: SeqRange[] = [];
    let from = 1;
    for (const [first, last] of this.outstanding()) {
      if (first > from) settled.push([from, first - 1]);
      from = last + 1;
    }
    if (this.seq > from) settled.push([from, this.seq - 1]);
    for (const segment of this.segments) if (!segment.records) settled.push(...segment.settledRanges);
    return settled;
  }

  private dropSettledSegments(): void {
    for (let i = this.segments.length - 1; i >= 0; i -= 1) {
      const segment = this.segments[i];
      if (!segment || segment.pending > 0) continue;
      // The one being written stays, and with it the knowledge of the next seq.
      if (segment === this.active) trimSettled(segment);
      else if (this.active.bytes > 0 || !segment.file) this.removeSegment(i, segment);
    }
  }

  private removeSegment(index: number, segment: Segment): void {
    this.segments.splice(index, 1);
    this.totalBytes -= segment.bytes;
    if (segment.file) removeFile(segment.file);
  }

  /** Thins the oldest segments that were never sent, until the queue is within its bound again. */
  private makeRoom(): void {
    for (const keepLifecycle of [true, false]) {
      for (let i = 0; i < this.segments.length && this.totalBytes > this.options.maxBytes; i += 1) {
        const segment = this.segments[i];
        if (!segment || segment === this.active || segment.firstSeq <= this.reservedThrough) continue;
        if (segment.thinned && keepLifecycle) continue;
        const before = this.segments[i - 1];
        const joined = before?.thinned && before.firstSeq > this.reservedThrough ? before : null;
        this.thin(segment, joined, keepLifecycle);
        if (joined) {
          this.removeSegment(i - 1, joined);
          i -= 1;
        }
      }
    }
  }

  private thin(segment: Segment, joined: Segment | null, keepLifecycle: boolean): void {
    const records = [...(joined ? this.unsettledOf(joined) : []), ...this.unsettledOf(segment)];
    const thinned = thinRecords(records, keepLifecycle);
    const firstSeq = Math.min(joined?.firstSeq ?? segment.firstSeq, segment.firstSeq);
    const bytes = Buffer.concat([
      encodeHeader(firstSeq, true),
      ...thinned.records.map((record) => encodeRecord(record.json)),
    ]);
    this.replaceFile(segment, bytes);
    this.dropped += thinned.dropped;
    this.items += thinned.records.length - segment.pending - (joined?.pending ?? 0);
    this.totalBytes += bytes.length - segment.bytes;
    segment.firstSeq = firstSeq;
    segment.bytes = bytes.length;
    segment.pending = thinned.records.length;
    segment.records = thinned.records;
    segment.thinned = true;
  }

  private unsettledOf(segment: Segment): QueueRecord[] {
    if (!segment.records && segment.file) this.fill(segment, readOrEmpty(segment.file));
    return (segment.records ?? []).filter((record) => !record.settled);
  }

  private replaceFile(segment: Segment, bytes: Buffer): void {
    if (!segment.file) return;
    try {
      writeFileSync(`${segment.file}.new`, bytes, { mode: 0o600 });
      renameSync(`${segment.file}.new`, segment.file);
    } catch (error) {
      const file = segment.file;
      this.loseFile(segment, error);
      removeFile(file);
    }
  }

  private loseFile(segment: Segment, error: unknown): void {
    segment.file = null;
    this.durable = false;
    const reason = error instanceof Error ? error.message : String(error);
    this.options.warn('A part of the queue lies in memory alone.', { reason });
  }
}

function unload(segment: Segment): void {
  const settled = (segment.records ?? [])
    .filter((record) => record.settled)
    .map((record): SeqRange => [record.seq, record.seq]);
  segment.settledRanges = settled;
  segment.records = null;
}

/** Forgets acknowledged items at the front of the segment being written: their memory, not their place. */
function trimSettled(segment: Segment): void {
  if (segment.records && segment.records.length > 0) segment.records = [];
}

function closeDurably(fd: number): void {
  try {
    fdatasyncSync(fd);
  } catch {
    // The items are with the operating system all the same.
  }
  closeSync(fd);
}

function readOrEmpty(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Already gone, or the folder is: what was acknowledged twice is a duplicate, and harmless.
  }
}
