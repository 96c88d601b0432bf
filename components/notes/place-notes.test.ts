import { describe, expect, it } from 'vitest';
import type { Note } from '@/core/api/notes';
import { plotFrame } from '../charts/plot-frame';
import { pointOf } from '../charts/series-fixture';
import { type NotesPlace, placeNotes } from './place-notes';

const MINUTE = 60_000;
const noteOf = (id: string, minutes: number, fields: Partial<Note> = {}): Note => ({
  id,
  sessionId: '00000000-0000-4000-8000-000000000001',
  at: new Date(minutes * MINUTE).toISOString(),
  turn: null,
  text: id,
  author: null,
  createdAt: new Date(0).toISOString(),
  editedAt: null,
  editedBy: null,
  version: 1,
  ...fields,
});

/** A minute is ten pixels, a percent one. */
function placeOf(fields: Partial<NotesPlace> = {}): NotesPlace {
  const { axis = 'time' } = fields;
  const xDomain: [number, number] = axis === 'time' ? [0, 100 * MINUTE] : [0, 100];
  return {
    frame: plotFrame({
      width: 1_000,
      margin: { left: 0, right: 0, top: 0, bottom: 0 },
      plotHeight: 100,
      xDomain,
      yDomain: [0, 100],
    }),
    xDomain,
    axis,
    unit: 'percent',
    points: [
      pointOf({ n: 1, t: 10 * MINUTE, used: 50_000, limit: 200_000 }),
      pointOf({ n: 2, t: 20 * MINUTE, used: 100_000, limit: 200_000 }),
      pointOf({ n: 3, t: 30 * MINUTE, used: null, limit: 200_000 }),
    ],
    limit: null,
    ...fields,
  };
}

describe('notes on the sheet', () => {
  it('stand at their time, on the height the trace has then', () => {
    const placed = placeNotes([noteOf('early', 5), noteOf('first', 12), noteOf('second', 25)], placeOf());
    expect(placed.map(({ id, x, y }) => [id, x, y])).toEqual([
      ['early', 50, null],
      ['first', 120, 75],
      ['second', 250, 50],
    ]);
  });

  it('stand at the bottom where nothing is known of the trace', () => {
    expect(placeNotes([noteOf('unknown', 35)], placeOf())).toMatchObject([{ x: 350, y: null }]);
  });

  it('stand at their turn over turns, and at that of their time where none is known', () => {
    const place = placeOf({ axis: 'turns' });
    const placed = placeNotes([noteOf('named', 12, { turn: 40 }), noteOf('by time', 25)], place);
    expect(placed.map(({ id, x }) => [id, x])).toEqual([
      ['by time', 20],
      ['named', 400],
    ]);
  });

  it('share a mark where theirs would touch, and keep their order', () => {
    const placed = placeNotes([noteOf('a', 50), noteOf('b', 51), noteOf('c', 53)], placeOf());
    expect(placed.map(({ id, notes }) => [id, notes.map((note) => note.id)])).toEqual([
      ['a', ['a', 'b']],
      ['c', ['c']],
    ]);
  });

  it('are left out beyond the ends of the sheet', () => {
    expect(placeNotes([noteOf('far', 101)], placeOf())).toEqual([]);
  });
});
