/** Entries of a transcript by time, line or compaction. */
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import type { TranscriptLost } from '@/core/api/transcript-lost';
import type { TranscriptRow } from '@/core/api/transcripts';
import { nearest } from '../../../data/message-at';

/** The entry at which a transcript opens: its last compaction, or the end of a copy made at the hook. Null: the top. */
export function tearOf(
  { version }: Pick<TranscriptRow, 'version'>,
  outline: TranscriptOutline,
): number | null {
  if (version === 'hook') return outline.messages === 0 ? null : outline.columns.kind.length - 1;
  return outline.compactions.at(-1)?.entry ?? null;
}

/** The compaction nearest to a time, ms since the epoch; null: none has a time. */
export function compactionNear({ compactions }: TranscriptOutline, at: number) {
  const timed = compactions.flatMap((each) => (each.at === null ? [] : { ...each, ms: Date.parse(each.at) }));
  return nearest(timed, ({ ms }) => Math.abs(ms - at));
}

/** The first entry on a line of the file; null: none. */
export function entryOfLine({ columns }: TranscriptOutline, wanted: number): number | null {
  const entry = columns.line.findIndex((line) => line >= wanted);
  return entry === -1 ? null : entry;
}

/** The client's summary of the last compaction, if the copy ends before that summary. Null: no such summary is known. */
export function summaryBeyond(outline: TranscriptOutline, lost: TranscriptLost | null): string | null {
  const found = lost?.lost;
  const entry = found?.compaction.entry ?? -1;
  const own = outline.compactions.find((compaction) => compaction.entry === entry);
  const isLast = own === undefined ? entry >= outline.entries : own === outline.compactions.at(-1);
  return isLast && (own?.summary ?? null) === null ? (found?.summary?.text ?? null) : null;
}
