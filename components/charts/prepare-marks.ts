/** Marks of boundaries, smaller where they are close together, and the flags above the plot. Pure. */
import { formatSizes, formatTokens } from '@/components/format/format-tokens';
import { monoWidth, sansWidth } from './labels';
import type { Boundary } from './list-marks';

export interface PlacedBoundary {
  boundary: Boundary;
  x: number;
  /** `full`: torn strip or double rule; `slim`: a single stroke; `tick`: a stroke at the upper edge. */
  size: 'full' | 'slim' | 'tick';
}

/** Minimum distance between strips of 9 px, so that the trace between them stays visible. */
const FULL_DISTANCE = 28;
const SLIM_DISTANCE = 6;

export function pickMarks(
  boundaries: ReadonlyArray<{ boundary: Boundary; x: number }>,
  selectedId: string | null,
): PlacedBoundary[] {
  return boundaries.map(({ boundary, x }, index) => {
    const before = boundaries[index - 1]?.x ?? Number.NEGATIVE_INFINITY;
    const after = boundaries[index + 1]?.x ?? Number.POSITIVE_INFINITY;
    const room = Math.min(x - before, after - x);
    const isSelected = boundary.eventId !== null && boundary.eventId === selectedId;
    const size = isSelected || room >= FULL_DISTANCE ? 'full' : room >= SLIM_DISTANCE ? 'slim' : 'tick';
    return { boundary, x, size };
  });
}

export interface Flag {
  id: string;
  eventId: string | null;
  x: number;
  /** `167 k → 41 k`, or after a restart `context 3`. */
  text: string;
  note: string;
  /** Level 0 is nearest the plot; each further level is 14 px higher. */
  level: number;
  isLeft: boolean;
}

type FlagWish = Omit<Flag, 'level' | 'isLeft'>;

interface FlagRoom {
  /** Right edge for texts, pixels. A text that would cross the edge is drawn to the left of its pole. */
  right: number;
  levels: number;
  /** Factor of the text size. */
  type: number;
}

/** Height of a flag's text at a factor of 1, pixels. */
export const FLAG_LEVEL_HEIGHT = 14;
const INSET = 5;
const GAP = 6;

/**
 * Flags of boundaries, then of other events (`notes`). Flags that would touch are stacked; flags without room are left
 * out. Flags name the source of a count unless that text costs another flag its place.
 */
export function prepareFlags(
  marks: readonly PlacedBoundary[],
  notes: readonly FlagWish[],
  room: FlagRoom,
): Flag[] {
  // Marks that are close together get no flags, except the newest mark. The event list shows all of them.
  const flagged = marks.filter((mark, index) => mark.size === 'full' || index === marks.length - 1);
  const place = (withSource: boolean) =>
    stackFlags(
      [
        flagged.map(({ boundary, x }) => ({ ...boundary, x, ...flagWords(boundary, withSource) })),
        notes,
      ].flatMap((wishes) => wishes.toSorted((a, b) => b.x - a.x)),
      room,
    );
  const top = (flags: readonly Flag[]) => Math.max(0, ...flags.map(({ level }) => level));
  const short = place(false);
  const long = place(true);
  return long.length === short.length && top(long) === top(short) ? long : short;
}

/**
 * Give each flag the lowest level at which its text and pole cross no other flag. The placement runs from right to
 * left: the newest flags get the room, and the earlier of two touching flags is higher.
 */
function stackFlags(wishes: readonly FlagWish[], room: FlagRoom): Flag[] {
  const taken: Array<Array<{ from: number; to: number }>> = Array.from({ length: room.levels }, () => []);
  return wishes.flatMap(({ id, eventId, x, text, note }): Flag[] => {
    const width = INSET + room.type * (monoWidth(text) + (note ? INSET + sansWidth(note) : 0));
    const isLeft = x + width > room.right;
    const [from, to] = isLeft ? [x - width, x + 1] : [x - 1, x + width];
    const level = taken.findIndex(
      (row, index) =>
        row.every((span) => to + GAP <= span.from || span.to + GAP <= from) &&
        taken.slice(0, index).every((below) => below.every((span) => x < span.from || x > span.to)),
    );
    if (level === -1) return [];
    taken[level]?.push({ from, to });
    for (const below of taken.slice(0, level)) below.push({ from: x - 1, to: x + 1 });
    return [{ id, eventId, x, text, note, level, isLeft }];
  });
}

function flagWords({ kind, contextAfter, before, after, read, trigger }: Boundary, withSource: boolean) {
  if (kind === 'restart') return { text: `context ${contextAfter}`, note: 'restart' };
  if (kind === 'clear') return { text: '', note: 'clear' };
  const source = withSource && read !== null ? ', client’s count' : '';
  return {
    text: before === null ? '' : formatSizes(before, after, formatTokens),
    note: `${trigger ?? 'compaction'}${source}`,
  };
}
