/** Makes room in a full queue: gaps replace the oldest items that were never sent. */
import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { type Item, itemSchema } from '../../../core/protocol/items';
import {
  encodeHeader,
  encodeRecord,
  fillSegment,
  type QueueRecord,
  readSegment,
  type Segment,
} from './segment';

interface Room {
  /** Number of dropped items. */
  dropped: number;
  /** Why a file could not be replaced, so that its items are in memory only; or null. */
  failure: unknown;
}

interface RoomOptions {
  maxBytes: number;
  /** Items up to this seq may have been sent: a gap must never reuse such a seq. */
  neverSentAfter: number;
  /** The segment being written; it is never thinned. */
  active: Segment;
}

/** Bytes of all segments. */
export function sizeOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Thin the segments until they fit, oldest first. Restarts and compactions are dropped only if dropping turns is not
 * enough.
 * @param segments changed in place: a thinned segment that is merged into the next one is removed, with its file.
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
 * Thin a segment together with the thinned one before it, so that gaps do not accumulate. Until the caller removes
 * `joined`, both files have its items, which is harmless.
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
    // Already gone. An item that is delivered twice is a harmless duplicate.
  }
}

const DROPPED = new Set<Item['type']>(['turn', 'reading', 'compress', 'archive', 'gap']);
const REASON = 'The runner’s queue was full.';

interface OpenGap {
  session: string;
  chain: string | undefined;
  at: number;
  from: number;
  to: number;
  count: number;
}

interface Thinned {
  records: QueueRecord[];
  /** Dropped items, without those of earlier gaps. */
  dropped: number;
}

/**
 * Replace turns and readings by one gap per session and chain, with the seq of the last dropped item. Items that begin or
 * end contexts stay: without them later turns would belong to the wrong context.
 * @param records unsettled items in ascending seq.
 * @param keepLifecycle false: drop everything.
 */
export function thinRecords(records: readonly QueueRecord[], keepLifecycle: boolean): Thinned {
  const open = new Map<string, OpenGap>();
  const kept: QueueRecord[] = [];
  let dropped = 0;
  const close = (gap: OpenGap) => kept.push(toRecord(gap));

  for (const record of records) {
    const item = readItem(record);
    if (!item) {
      dropped += 1;
    } else if (keepLifecycle && !DROPPED.has(item.type)) {
      for (const [name, gap] of open) {
        if (gap.session !== item.session) continue;
        close(gap);
        open.delete(name);
      }
      kept.push(withoutText(record, item));
    } else {
      if (item.type !== 'gap') dropped += 1;
      addTo(open, item);
    }
  }
  for (const gap of open.values()) close(gap);
  kept.sort((a, b) => a.seq - b.seq);
  return { records: kept, dropped };
}

function readItem(record: QueueRecord): Item | null {
  const parsed = itemSchema.safeParse(JSON.parse(record.json));
  return parsed.success ? parsed.data : null;
}

function addTo(open: Map<string, OpenGap>, item: Item): void {
  const chain = 'chain' in item ? item.chain : undefined;
  const name = JSON.stringify([item.session, chain ?? 'main']);
  const gap = open.get(name) ?? {
    session: item.session,
    chain,
    at: item.at,
    from: item.seq,
    to: 0,
    count: 0,
  };
  gap.from = Math.min(gap.from, item.type === 'gap' ? (item.from ?? item.seq) : item.seq);
  gap.to = item.seq;
  gap.at = item.at;
  gap.count += item.type === 'gap' ? item.count : 1;
  open.set(name, gap);
}

function toRecord({ session, chain, at, from, to, count }: OpenGap): QueueRecord {
  const item = { type: 'gap', seq: to, session, at, chain, from, to, count, reason: REASON };
  return { seq: to, json: JSON.stringify(item), settled: false };
}

/** A full queue keeps the restart without its checkpoint and prompt, which may have 200 000 characters. */
function withoutText(record: QueueRecord, item: Item): QueueRecord {
  if (item.type !== 'restart' || (item.checkpoint ?? item.prompt) === undefined) return record;
  const { checkpoint: _checkpoint, prompt: _prompt, ...rest } = item;
  return { seq: record.seq, json: JSON.stringify(rest), settled: false };
}
