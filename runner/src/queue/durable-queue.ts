/**
 * The durable queue of one stream: items that the server has not acknowledged. Owns one locked folder of segment files.
 * `append` hands an item to the operating system, so a killed process loses nothing. The item is synced within a
 * second, which bounds the loss of a power failure. Beyond `maxBytes`, gaps replace the oldest turns that were never
 * sent. Memory holds only recent segments and the segments being sent. Gaps also replace items that can no longer be
 * read, once the server has said which of them it has.
 */
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { SeqRange } from '../../../core/protocol/messages';
import { inRanges, normalizeRanges, toRanges } from '../../../core/protocol/ranges';
import { replaceFile } from '../private-files';
import { keepAside } from './keep-aside';
import {
  complement,
  countSeqs,
  encodeHeader,
  encodeRecord,
  missingSeqs,
  type QueueIdentity,
  type QueueRecord,
  RESERVE_AHEAD,
  readSegment,
  type Segment,
  segmentFile,
  writeProgress,
} from './queue-files';
import { releaseLock, touchLock } from './queue-lock';
import { type ChainName, chainKey, chainOf, recordLoss } from './record-loss';
import type { Recovered } from './recover-queue';
import { thinRecords } from './thin-records';

export interface QueueOptions extends Recovered {
  stream: string;
  identity: QueueIdentity;
  /** The locked folder; null: memory only. */
  folder: string | null;
  maxBytes: number;
  warn(message: string, fields: Record<string, unknown>): void;
}

/** Maximum bytes of segments kept in memory while they are not being sent. */
const MEMORY_BYTES = 4 * 1024 * 1024;
const MIN_SEGMENT_BYTES = 16 * 1024;
const MAX_SEGMENT_BYTES = 1024 * 1024;

export class DurableQueue {
  readonly stream: string;
  readonly identity: QueueIdentity;
  nextSeq: number;
  dropped = 0;
  /** False once a write failed: later items may be in memory only. */
  durable: boolean;

  private readonly segments: Segment[];
  private settled: SeqRange[];
  /** The last segment, while items are appended to it. */
  private active: Segment | null = null;
  /** The active segment's file; null: it is in memory only. */
  private fd: number | null = null;
  private reservedThrough: number;
  private unsynced = false;
  private progressDirty = true;
  private isMending = false;
  private closed = false;

  constructor(private readonly options: QueueOptions) {
    this.stream = options.stream;
    this.identity = options.identity;
    this.nextSeq = options.nextSeq;
    this.segments = options.segments;
    this.settled = options.settled;
    this.reservedThrough = options.reservedThrough;
    this.durable = options.folder !== null;
    this.removeSettled();
  }

  get pending(): number {
    return this.nextSeq - 1 - countSeqs(this.settled);
  }

  get bytes(): number {
    return this.segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Add an item with one write. @param json the item on one line, with the seq `nextSeq`. */
  append(json: string): void {
    const line = encodeRecord(json);
    const { maxBytes } = this.options;
    const segmentBytes = Math.max(MIN_SEGMENT_BYTES, Math.min(MAX_SEGMENT_BYTES, Math.floor(maxBytes / 16)));
    const isFull = this.active !== null && this.active.bytes + line.length > segmentBytes;
    const active = this.active === null || isFull ? this.beginSegment() : this.active;
    const bytes = active.bytes === 0 ? Buffer.concat([this.header(this.nextSeq, false), line]) : line;
    this.write(active, bytes);
    active.records?.push({ seq: this.nextSeq, json });
    active.lastSeq = this.nextSeq;
    active.bytes += bytes.length;
    this.nextSeq += 1;
  }

  /** The next items to send. @param afterSeq seq of the last item that was sent. */
  next(afterSeq: number, maxItems: number, maxBytes: number): QueueRecord[] {
    const batch: QueueRecord[] = [];
    let bytes = 0;
    for (const segment of this.segments) {
      if (segment.lastSeq <= afterSeq || this.isSettled(segment)) continue;
      for (const record of this.loadMended(segment)) {
        if (record.seq <= afterSeq || inRanges(this.settled, record.seq)) continue;
        bytes += record.json.length;
        if (batch.length >= maxItems || (batch.length > 0 && bytes > maxBytes)) return this.reserve(batch);
        batch.push(record);
      }
    }
    return this.reserve(batch);
  }

  /** Mark items as acknowledged, refused or already stored, and remove their segments. @returns their number. */
  settle(ranges: readonly SeqRange[]): number {
    const settled = this.markSettled(ranges);
    if (settled > 0) this.removeSettled();
    return settled;
  }

  outstanding(): SeqRange[] {
    return complement(this.settled, 1, this.nextSeq - 1);
  }

  /** Sync to the disk and record progress; called once a second. */
  sync(): void {
    if (this.progressDirty || this.unsynced) this.saveProgress();
    if (this.fd === null || !this.unsynced) return;
    this.unsynced = false;
    fdatasync(this.fd, (error) => {
      if (error && !this.closed) this.warn('The queue could not be synced.', error);
    });
  }

  /** Show other processes that this queue's owner is alive. */
  heartbeat(now: number): void {
    if (this.options.folder !== null) touchLock(this.options.folder, now);
  }

  /** Release the folder; remove it if the queue is empty. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    try {
      if (this.fd !== null) fdatasyncSync(this.fd);
    } catch {
      // The operating system already has the items.
    }
    if (this.fd !== null) closeSync(this.fd);
    const { folder } = this.options;
    if (folder === null) return;
    if (this.pending === 0) {
      // Under a hidden name first, so that no process finds a part of the queue.
      const hidden = path.join(path.dirname(folder), `.${this.stream}`);
      try {
        renameSync(folder, hidden);
      } catch {
        // The folder is gone, or a system does not rename a folder with open files.
      }
      for (const each of [hidden, folder]) rmSync(each, { recursive: true, force: true });
      return;
    }
    this.saveProgress();
    releaseLock(folder);
  }

  private beginSegment(): Segment {
    const { folder } = this.options;
    const { fd: previousFile, active: previous } = this;
    if (previousFile !== null) fdatasync(previousFile, () => closeSync(previousFile));
    this.fd = null;
    const id = (this.segments.at(-1)?.id ?? 0) + 1;
    const file = folder === null ? null : segmentFile(folder, id);
    const seqs = { firstSeq: this.nextSeq, lastSeq: this.nextSeq - 1 };
    const state = { bytes: 0, records: [], thinned: false, isDamaged: false, invalid: [] };
    const segment: Segment = { id, file, ...seqs, ...state };
    this.segments.push(segment);
    this.active = segment;
    try {
      if (file !== null) this.fd = openSync(file, 'a', 0o600);
    } catch (error) {
      this.loseFile(segment, error);
    }
    const loadedBytes = this.segments.reduce((sum, { records, bytes }) => sum + (records ? bytes : 0), 0);
    if (previous !== null && previous.file !== null && loadedBytes > MEMORY_BYTES) previous.records = null;
    this.makeRoom();
    return segment;
  }

  private write(active: Segment, bytes: Uint8Array): void {
    if (this.fd === null) return;
    try {
      if (writeSync(this.fd, bytes) < bytes.length) throw new Error('The disk accepted only a part.');
      this.unsynced = true;
    } catch (error) {
      // Items after the failed write in this file could not be read back.
      closeSync(this.fd);
      this.fd = null;
      this.loseFile(active, error);
    }
  }

  /** The segment continues in memory; the next segment tries the disk again. */
  private loseFile(segment: Segment, error: unknown): void {
    segment.file = null;
    this.durable = false;
    this.warn('The queue cannot be written; items wait in memory.', error);
  }

  private load(segment: Segment): QueueRecord[] {
    if (segment.records === null) {
      let bytes: Uint8Array = new Uint8Array();
      try {
        if (segment.file !== null) bytes = readFileSync(segment.file);
      } catch (error) {
        this.warn('A part of the queue cannot be read.', error);
      }
      const { records, invalid } = readSegment(bytes);
      segment.records = records;
      segment.invalid = invalid;
      segment.isDamaged = this.lostIn(segment).length > 0;
    }
    return segment.records;
  }

  /** The seqs of a loaded segment that are neither readable nor settled. */
  private lostIn(segment: Segment): SeqRange[] {
    const present = toRanges(this.load(segment).map(({ seq }) => seq));
    return complement(normalizeRanges([...this.settled, ...present]), segment.firstSeq, segment.lastSeq);
  }

  /** Load a segment to send it. Gaps replace its lost items; the server does not have them, or it would have said so. */
  private loadMended(segment: Segment): QueueRecord[] {
    this.load(segment);
    if (segment.isDamaged) this.mend(segment);
    return this.load(segment);
  }

  private mend(segment: Segment): void {
    segment.isDamaged = false;
    const lost = this.lostIn(segment);
    if (lost.length === 0) return;
    const { file } = segment;
    const records = this.load(segment);
    const chains = this.listChains();
    const { placed, others } = recordLoss(segment, records, lost, chains);
    const gaps = placed.map((gap) => ({ seq: gap.seq, json: JSON.stringify(gap) }));
    const kept = file === null ? null : keepAside(file);
    this.rewrite(
      segment,
      [...records, ...gaps].sort((a, b) => a.seq - b.seq),
    );
    this.saveProgress();
    this.isMending = true;
    for (const gap of others) this.append(JSON.stringify({ ...gap, seq: this.nextSeq }));
    this.isMending = false;
    this.options.warn('Items in the queue were damaged and are lost.', { damaged: countSeqs(lost), kept });
  }

  /** All sessions and chains of which the queue has an item. */
  private listChains(): ChainName[] {
    const chains = new Map<string, ChainName>();
    for (const segment of this.segments) {
      const wasLoaded = segment.records !== null;
      for (const chain of this.load(segment).map(chainOf)) chains.set(chainKey(chain), chain);
      if (!wasLoaded) segment.records = null;
    }
    return [...chains.values()];
  }

  private markSettled(ranges: readonly SeqRange[]): number {
    const before = this.pending;
    const given = ranges.map(([first, last]): SeqRange => [first, Math.min(last, this.nextSeq - 1)]);
    this.settled = normalizeRanges([...this.settled, ...given]);
    const settled = before - this.pending;
    if (settled > 0) this.progressDirty = true;
    return settled;
  }

  private isSettled({ firstSeq, lastSeq }: Segment): boolean {
    return this.settled.some(([first, last]) => first <= firstSeq && last >= lastSeq);
  }

  /**
   * The last segment stays, because it holds the next seq. Call this only once that segment is written: otherwise a
   * kill would lose the seq.
   */
  private removeSettled(): void {
    const settled = this.segments.slice(0, -1).filter((segment) => this.isSettled(segment));
    // Otherwise the seqs of the removed files would look lost after a kill.
    if (settled.length > 0) this.saveProgress();
    for (const segment of settled) this.remove(segment);
  }

  private remove(segment: Segment): void {
    this.segments.splice(this.segments.indexOf(segment), 1);
    if (segment.file !== null) rmSync(segment.file, { force: true });
  }

  /** Reserve seqs before sending: a gap must not reuse the seq of an item that may have been sent. */
  private reserve(batch: QueueRecord[]): QueueRecord[] {
    const last = batch.at(-1)?.seq ?? 0;
    if (last > this.reservedThrough) {
      this.reservedThrough = last + RESERVE_AHEAD;
      this.saveProgress();
    }
    return batch;
  }

  private saveProgress(): void {
    const { settled, reservedThrough } = this;
    const { folder } = this.options;
    this.progressDirty = false;
    try {
      const appendedThrough = this.nextSeq - 1;
      if (folder !== null) writeProgress(folder, { settled, reservedThrough, appendedThrough });
    } catch (error) {
      this.warn('The progress of the queue could not be written.', error);
    }
  }

  /** Thin the segments that were never sent until the queue fits, oldest first. */
  private makeRoom(): void {
    // The segments must not change while `next` reads them.
    if (this.isMending) return;
    for (const segment of this.segments.slice(0, -1)) {
      if (this.bytes <= this.options.maxBytes) return;
      if (segment.firstSeq > this.reservedThrough && !segment.thinned) this.thin(segment);
    }
  }

  /** Thin a segment together with the thinned segment before it, so that gaps do not accumulate. */
  private thin(segment: Segment): void {
    const before = this.segments[this.segments.indexOf(segment) - 1];
    const joined = before?.thinned && before.firstSeq > this.reservedThrough ? [before] : [];
    // A damaged segment waits for the server, which may have some of its items.
    const all = [...joined, segment].flatMap((each) => this.load(each));
    if ([...joined, segment].some(({ isDamaged }) => isDamaged)) return;
    const unsettled = all.filter(({ seq }) => !inRanges(this.settled, seq));
    const { records, dropped } = thinRecords(unsettled);
    this.dropped += dropped;
    segment.firstSeq = joined[0]?.firstSeq ?? segment.firstSeq;
    this.rewrite(segment, records);
    // Until this removal, two files have the same items, which is harmless.
    for (const each of joined) this.remove(each);
  }

  /** Replace the items of a segment; the seqs that it then lacks count as settled. */
  private rewrite(segment: Segment, records: QueueRecord[]): void {
    const lines = records.map(({ json }) => encodeRecord(json));
    const bytes = Buffer.concat([this.header(segment.firstSeq, true), ...lines]);
    Object.assign(segment, { records, bytes: bytes.length, thinned: true });
    this.markSettled(missingSeqs(segment, records));
    const { file } = segment;
    try {
      if (file !== null) replaceFile(file, bytes);
    } catch (error) {
      this.loseFile(segment, error);
      if (file !== null) rmSync(file, { force: true });
    }
  }

  private header(firstSeq: number, thinned: boolean): Uint8Array {
    return encodeHeader(firstSeq, thinned, { format: 1, ...this.identity, stream: this.stream });
  }

  private warn(message: string, error: unknown): void {
    this.options.warn(message, { reason: String(error) });
  }
}
