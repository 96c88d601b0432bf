/** Places of notes on the sheet. Pure. */
import type { Note } from '@/core/api/notes';
import type { SeriesPoint } from '@/core/api/series';
import { type AxisKind, toUnit, type ValueUnit } from '../charts/chart-scale';
import type { PlotFrame } from '../charts/plot-frame';

export interface NotesPlace {
  frame: PlotFrame;
  xDomain: readonly [number, number];
  axis: AxisKind;
  unit: ValueUnit;
  /** Points on the sheet, in order. */
  points: readonly SeriesPoint[];
  limit: number | null;
}

/** Marks closer than this are merged, pixels. */
const APART_PX = 16;

/** Marks with one or more notes, ordered by time. `x`, `y`: pixels; `y` is null if the trace is unknown there. */
export function placeNotes(list: readonly Note[], place: NotesPlace) {
  const { frame, xDomain, axis, unit, points, limit } = place;
  const marks = list.flatMap((note) => {
    const at = Date.parse(note.at);
    const point = points.findLast(({ t }) => t <= at);
    const value = axis === 'time' ? at : (note.turn ?? point?.n ?? 0);
    if (value < xDomain[0] || value > xDomain[1]) return [];
    const height = point ? toUnit(point.used, point.limit ?? limit, unit) : null;
    const y = height === null ? null : Math.max(frame.top, Math.min(frame.y(height), frame.bottom));
    return [{ id: note.id, x: frame.x(value), y, notes: [note] }];
  });
  const placed: typeof marks = [];
  for (const mark of marks.sort((a, b) => a.x - b.x)) {
    const last = placed.at(-1);
    if (last !== undefined && mark.x - last.x < APART_PX) last.notes.push(...mark.notes);
    else placed.push(mark);
  }
  return placed;
}
