/** Reads a queue's files after its process ended, and finds what is missing. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { compileSchema } from '../../../core/protocol/compile-schema';
import type { SeqRange } from '../../../core/protocol/messages';
import { inRanges, normalizeRanges, toRanges } from '../../../core/protocol/ranges';
import { readJson } from '../private-files';
import {
  checksumOf,
  complement,
  countSeqs,
  listSegments,
  number,
  type ProgressFile,
  RESERVE_AHEAD,
  readSegment,
  type Segment,
  segmentFile,
  text,
  valid,
} from './queue-files';

const readProgress = compileSchema({
  type: 'object',
  properties: {
    settled: { type: 'array', items: { type: 'array', prefixItems: [number, number] } },
    reservedThrough: number,
    appendedThrough: number,
    checksum: text,
  },
  required: ['settled', 'reservedThrough'],
});

/** The queue in a folder. */
export interface Recovered {
  segments: Segment[];
  nextSeq: number;
  /** Includes seqs that no file should contain. */
  settled: SeqRange[];
  reservedThrough: number;
}

/** The progress; null if it was never written or is damaged. Earlier versions wrote neither checksum nor appended seqs. */
function readProgressOf(folder: string, lastSeq: number) {
  const file = path.join(folder, 'progress.json');
  const value = valid<ProgressFile & { checksum?: string }>(readProgress(readJson(file)));
  const isIntact =
    value?.checksum === undefined
      ? value?.settled.every(([first, last]) => first <= last && last <= lastSeq) === true
      : value.checksum === checksumOf(value);
  return { progress: isIntact ? value : null, isDamaged: !isIntact && existsSync(file) };
}

/** What a queue's files contain. */
export interface Contents {
  /** Number of readable items whose acknowledgement is not recorded. */
  items: number;
  /** Number of unreadable items whose acknowledgement is not recorded. */
  lost: number;
  isProgressDamaged: boolean;
}

/**
 * Read a queue's files. Seqs that a segment should contain, but that are neither readable nor settled, are lost: they
 * stay unsettled until the queue replaces them by gaps. @throws what the file system throws.
 */
export function recoverQueue(folder: string): Recovered & Contents {
  const segments: Segment[] = [];
  const seqs: number[] = [];
  const thinnedAway: SeqRange[] = [];
  let lastSeq = 0;
  let damaged = 0;
  let isCut = false;
  for (const id of listSegments(folder)) {
    const file = segmentFile(folder, id);
    // A running owner may remove the file in the meantime.
    if (!existsSync(file)) continue;
    const content = readFileSync(file);
    const read = readSegment(content);
    const { header, records, invalid } = read;
    isCut = read.isCut;
    const previous = segments.at(-1);
    const isNext = (previous?.id ?? 0) === id - 1;
    const firstSeq = header?.first ?? (isNext ? lastSeq + 1 : (records[0]?.seq ?? lastSeq + 1));
    const end = records.at(-1)?.seq ?? firstSeq - 1;
    const thinned = header?.thinned ?? false;
    const segment = { id, file, firstSeq, lastSeq: end, bytes: content.length, records: null };
    segments.push({ ...segment, thinned, isDamaged: false, invalid: [] });
    lastSeq = Math.max(lastSeq, end, firstSeq - 1);
    damaged += invalid.length;
    for (const { seq } of records) seqs.push(seq);
    if (thinned && invalid.length === 0)
      thinnedAway.push(...complement(toRanges(records.map(({ seq }) => seq)), firstSeq, end));
  }
  const { progress, isDamaged } = readProgressOf(folder, lastSeq);
  // Without recorded progress, all items found on disk may have been sent.
  const reservedThrough = progress?.reservedThrough ?? (isDamaged ? lastSeq + RESERVE_AHEAD : lastSeq);
  // An incomplete last line is a lost item.
  const appendedThrough = Math.max(isCut ? lastSeq + 1 : lastSeq, progress?.appendedThrough ?? 0);
  const isComplete = progress?.appendedThrough !== undefined;
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    // Without complete progress, a missing segment counts as settled.
    const reaches = isComplete || next?.id === segment.id + 1;
    const end = next === undefined ? appendedThrough : reaches ? next.firstSeq - 1 : 0;
    if (index === 0 && isComplete) segment.firstSeq = 1;
    segment.lastSeq = Math.max(segment.lastSeq, end);
  }
  const known = normalizeRanges([...(progress?.settled ?? []), ...thinnedAway]);
  // A lost item may have been sent: its seq must not be used again.
  const sentThrough = damaged > 0 || appendedThrough > lastSeq ? reservedThrough : 0;
  const nextSeq = 1 + Math.max(appendedThrough, known.at(-1)?.[1] ?? 0, sentThrough);
  const held = normalizeRanges(segments.map(({ firstSeq, lastSeq: end }): SeqRange => [firstSeq, end]));
  const settled = normalizeRanges([...known, ...complement(held, 1, nextSeq - 1)]);
  const present = toRanges(seqs);
  // Without any segment, all seqs count as settled.
  const missing = isComplete
    ? complement(normalizeRanges([...known, ...present]), 1, appendedThrough)
    : complement(normalizeRanges([...settled, ...present]), 1, nextSeq - 1);
  const items = new Set(seqs.filter((seq) => !inRanges(settled, seq))).size;
  const damage = { items, lost: countSeqs(missing), isProgressDamaged: isDamaged };
  return { segments, nextSeq, settled, reservedThrough, ...damage };
}
