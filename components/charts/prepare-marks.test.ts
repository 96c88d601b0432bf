import { describe, expect, it } from 'vitest';
import { pickMarks, prepareFlags } from './prepare-marks';
import { boundaryOf } from './series-fixture';

type Fields = Parameters<typeof boundaryOf>[0];

describe('pickMarks', () => {
  const at = (...xs: number[]) =>
    xs.map((x) => ({ boundary: boundaryOf({ id: `${x}`, eventId: `e${x}` }), x }));
  const sizes = (xs: number[], selected: string | null = null) =>
    pickMarks(at(...xs), selected).map(({ size }) => size);

  it('draws full marks, strokes if full marks would touch, and ticks if strokes would touch', () => {
    expect(sizes([100, 200])).toEqual(['full', 'full']);
    expect(sizes([100, 110])).toEqual(['slim', 'slim']);
    expect(sizes([100, 103, 109])).toEqual(['tick', 'tick', 'slim']);
  });

  it('draws the opened event’s mark in full', () => {
    expect(sizes([100, 101], 'e101')).toEqual(['tick', 'full']);
  });
});

describe('prepareFlags', () => {
  const compacted = { before: 172_000, after: 41_000, read: 166_000 };
  const mark = (x: number, fields: Fields) => ({
    boundary: boundaryOf({ id: `at-${x}`, ...fields }),
    x,
    size: 'full' as const,
  });
  const place = (marks: ReturnType<typeof mark>[], levels = 2, notes: number[] = []) =>
    prepareFlags(
      marks,
      notes.map((x) => ({ id: `note-${x}`, eventId: null, x, text: '', note: 'compaction failed' })),
      { right: 1_200, levels, type: 1 },
    );
  const words = (...marks: ReturnType<typeof mark>[]) =>
    place(marks).map(({ text, note }) => `${text} ${note}`.replaceAll('\u00a0', ' '));

  it('names the source of a count that differs from the last turn’s reading', () => {
    expect(words(mark(100, compacted))).toEqual(['172 k → 41 k auto, client’s count']);
    expect(words(mark(100, { ...compacted, read: null }))).toEqual(['172 k → 41 k auto']);
    expect(words(mark(100, { kind: 'restart', contextAfter: 3 }))).toEqual(['context 3 restart']);
  });

  it('omits the source if another flag would not fit', () => {
    const marks = [100, 260, 420].map((x) => mark(x, compacted));
    expect(words(...marks)).toEqual(Array(3).fill('172 k → 41 k auto'));
  });

  it('raises the earlier of two touching flags, so that no pole crosses a label', () => {
    const flags = place(
      [100, 140, 180].map((x) => mark(x, compacted)),
      3,
    );
    expect(flags.map(({ x, level }) => [x, level])).toEqual([
      [180, 0],
      [140, 1],
      [100, 2],
    ]);
  });

  it('places flags of other events only where boundaries leave room', () => {
    expect(place([mark(100, compacted)], 1, [150]).map(({ id }) => id)).toEqual(['at-100']);
    expect(place([mark(100, compacted)], 1, [400])).toHaveLength(2);
  });

  it('puts the text to the left of its pole at the right edge', () => {
    expect(place([mark(1_190, compacted)])[0]?.isLeft).toBe(true);
  });

  it('leaves out flags that would cover others', () => {
    const flags = place(
      Array.from({ length: 40 }, (_, i) => mark(100 + i * 4, compacted)),
      3,
    );
    expect(flags.map(({ level }) => level)).toEqual([0, 1, 2, 0, 1, 2]);
  });
});
