import { describe, expect, it } from 'vitest';
import { pickMarks, ticksPath } from './pick-marks';
import { boundaryOf } from './series-fixture';

const at = (...xs: number[]) => xs.map((x) => ({ boundary: boundaryOf({ id: `${x}`, eventId: null }), x }));
const sizes = (...xs: number[]) => pickMarks(at(...xs), null).map(({ size }) => size);

describe('marks of boundaries', () => {
  it('are full where they have room, strokes where strips would touch, and ticks where strokes would', () => {
    expect(sizes(100, 200)).toEqual(['full', 'full']);
    expect(sizes(100, 110)).toEqual(['slim', 'slim']);
    expect(sizes(100, 103, 109)).toEqual(['tick', 'tick', 'slim']);
  });

  it('stand out for the opened event alone, and not for those without one', () => {
    const named = at(100, 101).map(({ boundary, x }) => ({ boundary: { ...boundary, eventId: `e${x}` }, x }));
    expect(pickMarks(named, 'e101').map(({ size }) => size)).toEqual(['tick', 'full']);
    expect(sizes(100, 101)).toEqual(['tick', 'tick']);
  });

  it('that stand on a pixel are one tick', () => {
    const marks = pickMarks(at(...Array.from({ length: 1_000 }, (_, index) => index / 10)), null);
    expect(ticksPath(marks, 20).match(/M/g)).toHaveLength(50);
  });
});
