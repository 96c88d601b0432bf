import { describe, expect, it } from 'vitest';
import type { Note } from '@/core/api/notes';
import { plotFrame } from '../charts/plot-frame';
import { pointOf } from '../charts/series-fixture';
import { placeNotes } from './place-notes';

const MINUTE = 60_000;
const noteOf = (id: string, minutes: number, turn: number | null = null): Note => {
  const [at, createdAt] = [new Date(minutes * MINUTE).toISOString(), new Date(0).toISOString()];
  const sessionId = '00000000-0000-4000-8000-000000000001';
  return {
    id,
    sessionId,
    at,
    turn,
    text: id,
    author: null,
    createdAt,
    editedAt: null,
    editedBy: null,
    version: 1,
  };
};

/** Places notes on a sheet with ten pixels per minute or turn, and one pixel per percent. */
function place(axis: 'time' | 'turns', ...notes: Note[]) {
  const xDomain: [number, number] = axis === 'time' ? [0, 100 * MINUTE] : [0, 100];
  const margin = { left: 0, right: 0, top: 0, bottom: 0 };
  const frame = plotFrame({ width: 1_000, margin, plotHeight: 100, xDomain, yDomain: [0, 100] });
  const points = [50_000, 100_000, null].map((used, index) =>
    pointOf({ n: index + 1, t: (index + 1) * 10 * MINUTE, used, limit: 200_000 }),
  );
  const placed = placeNotes(notes, { frame, xDomain, axis, unit: 'percent', points, limit: null });
  return placed.map((mark) => [mark.notes.map(({ id }) => id).join(), mark.x, mark.y]);
}

describe('notes on the sheet', () => {
  it('are placed at their time, at the height of the trace, or at the bottom if the value is unknown', () => {
    const notes = [noteOf('early', 5), noteOf('first', 12), noteOf('second', 25), noteOf('unknown', 35)];
    expect(place('time', ...notes)).toEqual([
      ['early', 50, null],
      ['first', 120, 75],
      ['second', 250, 50],
      ['unknown', 350, null],
    ]);
  });

  it('are placed at their turn on the turn axis, else at the turn of their time', () => {
    expect(place('turns', noteOf('named', 12, 40), noteOf('by time', 25))).toEqual([
      ['by time', 20, 50],
      ['named', 400, 75],
    ]);
  });

  it('share one mark where two marks would touch, and have no mark outside the sheet', () => {
    const notes = [noteOf('a', 50), noteOf('b', 51), noteOf('c', 53), noteOf('far', 101)];
    expect(place('time', ...notes).map(([ids]) => ids)).toEqual(['a,b', 'c']);
  });
});
