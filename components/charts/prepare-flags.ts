/** The flags above the plot: what happened at a boundary. */
import { formatTokens } from '@/components/format/format-tokens';
import type { PlacedBoundary } from './pick-marks';
import { type FlagRoom, type PlacedFlag, stackFlags } from './stack-flags';
import { monoWidth, sansWidth } from './text-width';

export interface Flag extends PlacedFlag {
  eventId: string | null;
  x: number;
  /** `167 k → 41 k`, or the context that a restart begins: `context 3`. */
  text: string;
  /** `auto`, in the second ink. */
  note: string;
  width: number;
}

/** A flag without a boundary (list-marks.ts), at its place. */
export interface NoteMark {
  /** The event's id. */
  id: string;
  x: number;
  text: string;
  note: string;
}

export const FLAG_LEVEL_HEIGHT = 14;

/**
 * Flags of boundaries and events, stacked where they would touch; those without room are left out. The source of a
 * count is named where that costs no flag its place.
 */
export function prepareFlags(
  marks: readonly PlacedBoundary[],
  notes: readonly NoteMark[],
  room: FlagRoom,
): Flag[] {
  // Where marks are crowded, only the newest keeps its flag; the others are in the event list.
  const flagged = marks.filter((mark, index) => mark.size === 'full' || index === marks.length - 1);
  const place = (withSource: boolean) => {
    const wishes = [
      ...flagged.map(({ boundary, x }) => ({
        id: boundary.id,
        eventId: boundary.eventId,
        x,
        ...wordsOf(boundary, withSource),
      })),
      ...notes.map((note) => ({ ...note, eventId: note.id, yields: true })),
    ].map((wish) => ({
      ...wish,
      width: monoWidth(wish.text) + (wish.note ? 5 + sansWidth(wish.note) : 0),
    }));
    const byId = new Map(wishes.map((wish) => [wish.id, wish]));
    return stackFlags(wishes, room).flatMap((placed): Flag[] => {
      const wish = byId.get(placed.id);
      return wish === undefined ? [] : [{ ...wish, ...placed }];
    });
  };
  const short = place(false);
  const long = place(true);
  const isRoomy = long.length === short.length && top(long) === top(short);
  return isRoomy ? long : short;
}

function top(flags: readonly Flag[]): number {
  return Math.max(0, ...flags.map(({ level }) => level));
}

function wordsOf(
  { kind, contextAfter, before, after, read, trigger }: PlacedBoundary['boundary'],
  withSource: boolean,
): { text: string; note: string } {
  if (kind === 'restart') return { text: `context ${contextAfter}`, note: 'restart' };
  if (kind === 'clear') return { text: '', note: 'clear' };
  const known =
    before === null
      ? ''
      : after === null
        ? `${formatTokens(before)} → ?`
        : `${formatTokens(before)} → ${formatTokens(after)}`;
  const note = trigger ?? 'compaction';
  return { text: known, note: withSource && read !== null ? `${note}, client’s count` : note };
}
