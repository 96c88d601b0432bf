/** What stands on the sheet besides boundaries: turns that were lost, compressions, what went wrong before a boundary. */
import type { SessionEvent } from '@/core/api/session';
import { formatTokens } from '../format/format-tokens';

export interface SheetNote {
  /** The event's id. */
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Number of the last turn before it. */
  turn: number;
  /** Words of its flag: the figures, and what it is. */
  text: string;
  note: string;
  /** Messages were removed without a boundary. */
  isFall: boolean;
}

const COMPACTION: Readonly<Record<string, string>> = {
  pending: 'compaction announced',
  blocked: 'compaction blocked',
  failed: 'compaction failed',
};

/** One entry per event of the main chain that has a flag and is no boundary, in the order of the events. */
export function listNotes(events: readonly SessionEvent[]): SheetNote[] {
  return events.flatMap((event) => {
    const words = event.chain === 'main' ? wordsOf(event) : null;
    if (words === null) return [];
    return [{ isFall: false, ...words, id: event.id, at: Date.parse(event.at), turn: event.turn }];
  });
}

function wordsOf({
  kind,
  detail,
}: SessionEvent): (Pick<SheetNote, 'text' | 'note'> & Partial<SheetNote>) | null {
  switch (kind) {
    case 'turns_dropped': {
      const count = numberOf(detail.count);
      return count === null
        ? { text: '', note: 'turns lost' }
        : { text: `${count}`, note: count === 1 ? 'turn lost' : 'turns lost' };
    }
    case 'context_compressed': {
      const from = numberOf(detail.before);
      const to = numberOf(detail.after);
      if (from === null || to === null) return { text: '', note: 'compressed', isFall: true };
      return {
        text: `${formatTokens(from)} → ${formatTokens(to)}`,
        note: 'compressed',
        isFall: true,
      };
    }
    case 'compaction': {
      const note = typeof detail.state === 'string' ? COMPACTION[detail.state] : undefined;
      return note === undefined ? null : { text: '', note };
    }
    case 'thrash':
      return { text: '', note: 'thrash' };
    case 'cache_storm':
      return { text: '', note: 'cache storm' };
    case 'archive_failed':
      return { text: '', note: 'archive failed' };
    case 'archive_damaged':
      return { text: '', note: 'archive damaged' };
    case 'archive_skipped':
      return { text: '', note: 'archive skipped' };
    default:
      return null;
  }
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
