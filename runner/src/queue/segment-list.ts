/** Questions to the segments of a queue, oldest first, all answered without touching the disk. */
import type { SeqRange } from '../../../core/protocol/messages';
import { indexAfter, type QueueRecord, type Segment } from './segment';

/** Seqs not settled, as ranges; those in files not read yet as the range of their segment. */
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

/** What is settled among the seqs given out so far, as ranges in no certain order. */
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

/** Lowest seq not settled; infinite when there is none. */
export function findFirstOutstanding(segments: readonly Segment[]): number {
  const segment = segments.find(({ pending }) => pending > 0);
  if (!segment) return Number.POSITIVE_INFINITY;
  return segment.records?.find(({ settled }) => !settled)?.seq ?? segment.firstSeq;
}

/** An item that is in memory. */
export function findRecord(segments: readonly Segment[], seq: number): QueueRecord | null {
  for (const { records, firstSeq, lastSeq } of segments) {
    if (!records || seq < firstSeq || seq > lastSeq) continue;
    const record = records[indexAfter(records, seq - 1)];
    if (record?.seq === seq) return record;
  }
  return null;
}
