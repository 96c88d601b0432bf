/** The flags above the plot: what a boundary did, in a few words. */
import { formatTokens } from '@/components/format/format-tokens';
import type { PlacedBoundary } from './pick-marks';
import { type FlagRoom, type PlacedFlag, stackFlags } from './stack-flags';
import { monoWidth, sansWidth } from './text-width';

export interface Flag extends PlacedFlag {
  eventId: string | null;
  x: number;
  /** `167 k → 41 k`, or the number of the context that a restart begins. */
  text: string;
  /** `auto`, in the second ink. */
  note: string;
  width: number;
}

/** A flag without a boundary (list-notes.ts), at its place. */
export interface NoteMark {
  /** The event's id. */
  id: string;
  x: number;
  text: string;
  note: string;
}

export const FLAG_LEVEL_HEIGHT = 14;

/** Flags of boundaries and notes, stacked where they would touch; those without room are left out. */
export function prepareFlags(
  marks: readonly PlacedBoundary[],
  notes: readonly NoteMark[],
  room: FlagRoom,
): Flag[] {
  // In a crowd the words would be a wall: the newest mark keeps its flag, the rest is in the event list.
  const spoken = marks.filter((mark, index) => mark.size === 'full' || index === marks.length - 1);
  const wishes = [
    ...spoken.map(({ boundary, x }) => ({
      id: boundary.id,
      eventId: boundary.eventId,
      x,
      ...wordsOf(boundary),
    })),
    ...notes.map((note) => ({ ...note, eventId: note.id, yields: true })),
  ].map((wish) => ({ ...wish, width: monoWidth(wish.text) + (wish.note ? 5 + sansWidth(wish.note) : 0) }));
  const byId = new Map(wishes.map((wish) => [wish.id, wish]));
  const flags: Flag[] = [];
  for (const placed of stackFlags(wishes, room)) {
    const wish = byId.get(placed.id);
    if (wish) flags.push({ ...wish, ...placed });
  }
  return flags;
}

function wordsOf({ kind, contextAfter, before, after, trigger }: PlacedBoundary['boundary']): {
  text: string;
  note: string;
} {
  if (kind === 'restart') return { text: String(contextAfter), note: 'restart' };
  if (kind === 'clear') return { text: '', note: 'clear' };
  const known =
    before === null
      ? ''
      : after === null
        ? `${formatTokens(before)} → ?`
        : `${formatTokens(before)} → ${formatTokens(after)}`;
  return { text: known, note: trigger ?? 'compaction' };
}
