/** Finds the message of a moment in the archived transcripts of a session. */
import type { TranscriptEntry, TranscriptOutline } from '@/core/api/transcript-contents';
import type { TranscriptRow } from '@/core/api/transcripts';

/** The first stored copy made after a turn, ms since the epoch; null: none. */
export function transcriptAt(transcripts: readonly TranscriptRow[], at: number): TranscriptRow | null {
  return (
    transcripts
      .filter((row) => row.state === 'stored' && Date.parse(row.at) >= at)
      .sort((a, b) => a.at.localeCompare(b.at))[0] ?? null
  );
}

/** First entry of the main chain's call nearest to a time, ms since the epoch; null: no call has a time. */
export function callEntryNear({ calls, columns }: TranscriptOutline, at: number): number | null {
  const timed = calls.flatMap(({ entry, chain }) => {
    const seconds = columns.at[entry] ?? null;
    return chain !== 0 || seconds === null ? [] : { entry, ms: seconds * 1_000 };
  });
  return nearest(timed, ({ ms }) => Math.abs(ms - at))?.entry ?? null;
}

/** The first line of an entry's text without marks of Markdown, or its tool call; empty: it has neither. */
export function firstLineOf({ blocks }: TranscriptEntry): string {
  for (const block of blocks) {
    if (block.type === 'tool_call') return `${block.name} ${block.label ?? ''}`.trim();
    const line = 'text' in block && block.text.split('\n').find((each) => each.trim() !== '');
    if (line) return line.replace(/`|\*\*|^#+ /g, '').trim();
  }
  return '';
}

export function nearest<T>(all: readonly T[], distance: (one: T) => number): T | null {
  return all.reduce<T | null>(
    (best, each) => (best === null || distance(each) < distance(best) ? each : best),
    null,
  );
}
