import { expect, it } from 'vitest';
import { chartScale } from './chart-scale';
import { prepareTrace, type TraceInput } from './prepare-trace';
import { boundaryOf, pointOf } from './series-fixture';
import { toRows } from './trace-segments';

const base: Omit<TraceInput, 'points'> = {
  lens: 'snapshot',
  boundaries: [],
  scale: chartScale('turns', 'percent', 200_000),
  // Nothing is carried on after the last point.
  end: { x: 0, hold: 'solid' },
};
const toTen = { x: 10, hold: 'solid' } as const;
const trace = (points: Parameters<typeof pointOf>[0][], fields: Partial<TraceInput> = {}) =>
  prepareTrace({ ...base, points: points.map(pointOf), ...fields });
/** Pieces as their kind and places: `ink 1,50 2,80`. */
const drawn = (...input: Parameters<typeof trace>) =>
  trace(...input).segments.map(
    ({ kind, points }) => `${kind} ${points.map(({ x, y }) => `${x},${y}`).join(' ')}`,
  );

it('gives each context its own piece, broken at the boundary', () => {
  const points = [
    { n: 1, used: 100_000 },
    { n: 2, used: 160_000 },
    { n: 3, used: 60_000, context: 1 },
    { n: 4, used: 80_000, context: 1 },
  ];
  const boundaries = [boundaryOf({ turn: 2, contextAfter: 1 })];
  const known = drawn(points, { boundaries }).filter((piece) => piece.startsWith('ink'));
  expect(known).toEqual(['ink 1,50 2,80 2.5,80', 'ink 3,30 4,40']);
});

it('draws the time after a boundary as unknown at the last known value, never as zero', () => {
  const fields = { boundaries: [boundaryOf({ turn: 1 })], end: toTen };
  expect(drawn([{ n: 1, used: 160_000 }], fields).at(-1)).toBe('unknown 1.5,80 10,80');
});

it('starts the cumulative lens at zero after a boundary', () => {
  const boundaries = [boundaryOf({ kind: 'restart', turn: 1 })];
  const points = [
    { n: 1, used: 160_000 },
    { n: 2, used: 20_000, context: 1 },
  ];
  expect(drawn(points, { lens: 'cumulative', boundaries }).at(-1)).toBe('ink 1.5,0 2,10');
});

it('breaks the trace where turns were dropped', () => {
  const points = [
    { n: 1, used: 40_000 },
    { n: 2, used: 90_000 },
  ];
  expect(drawn(points, { gaps: [{ at: 0, turn: 1 }] })).toEqual(['ink 1,20 1.5,20', 'ink 2,45']);
});

it('shows a null reading as a gap that names the last value, and picks up where it is known again', () => {
  const points = [40_000, null, null, 60_000].map((used, index) => ({ n: index + 1, used }));
  expect(drawn(points)).toEqual(['ink 1,20 2,20', 'unknown 2,20 4,20', 'ink 4,30']);
});

it('draws nothing while the session is not tracked', () => {
  const points = [
    { n: 1, used: 40_000 },
    { n: 2, used: null, untracked: true },
  ];
  expect(drawn(points, { lens: 'cumulative', end: toTen })).toEqual(['ink 1,20 2,20']);
});

it('keeps the peak and the low that a bucket hides', () => {
  const points = [
    { n: 1, used: 40_000 },
    { n: 9, used: 60_000, turns: 8, min: 20_000, max: 240_000 },
  ];
  expect(drawn(points)).toEqual(['ink 1,20 9,120 9,10 9,30']);
  expect(trace(points).peak).toBe(120);
});

it('draws the peak of a bucket over a boundary before the tear, and its low after it', () => {
  const points = [
    { n: 10, used: 100_000 },
    { n: 20, used: 50_000, turns: 10, min: 40_000, max: 190_000, context: 1 },
  ];
  const pieces = drawn(points, { boundaries: [boundaryOf({ turn: 14 })] });
  expect(pieces[0]).toContain('14.5,95');
  // The low of the new context is drawn at its value; its time is not known.
  expect(pieces.at(-1)).toBe('ink 20,20 20,25');
});

it('draws 1.2 of the limit at 120 %, not clamped', () => {
  expect(drawn([{ n: 1, used: 240_000 }])).toEqual(['ink 1,120']);
  expect(trace([{ n: 1, used: 240_000 }]).peak).toBe(120);
});

it('draws an estimate apart from what was read, joined by its step', () => {
  const points = [
    { n: 1, used: 40_000 },
    { n: 2, used: 50_000, estimated: true },
  ];
  expect(drawn(points)).toEqual(['ink 1,20 2,20', 'estimate 2,20 2,25']);
});

it('repaints only the live end', () => {
  const points = [
    { n: 1, used: 40_000 },
    { n: 5, used: 80_000 },
  ];
  const fields = { end: { x: 8, hold: 'solid' }, liveFromX: 4 } as const;
  expect(drawn(points, fields).at(-1)).toBe('live 4,20 5,40 8,40');
});

it('does not paint the state of the open context over the one before', () => {
  const points = [
    { n: 1, used: 180_000 },
    { n: 2, used: 40_000, context: 1 },
  ];
  const { segments } = trace(points, { boundaries: [boundaryOf({ turn: 1 })], end: toTen, liveFromX: 0 });
  const live = segments.filter(({ kind }) => kind === 'live');
  expect(live.map(({ context }) => context)).toEqual([1]);
});

it('measures each turn against the limit it ran in', () => {
  const points = [
    { n: 1, used: 100_000 },
    { n: 2, used: 100_000, limit: 1_000_000 },
  ];
  expect(drawn(points)).toEqual(['ink 1,50 2,10']);
});

it('shows tokens and no percentage without a limit', () => {
  const points = [{ n: 1, used: 70_000, limit: null }];
  expect(drawn(points, { scale: chartScale('turns', 'percent', null) })).toEqual([]);
  expect(trace(points, { scale: chartScale('turns', 'tokens', null) }).peak).toBe(70_000);
});

it('ends each piece with an empty row, so that no line joins two contexts', () => {
  const piece = (context: number, ...ys: number[]) => ({
    kind: 'ink' as const,
    context,
    points: ys.map((y, x) => ({ x, y })),
  });
  const rows = toRows([piece(0, 5, 6), piece(1, 1)]);
  expect(rows.ink?.map((row) => row.y)).toEqual([5, 6, null, 1, null]);
  expect(rows.unknown).toBeUndefined();
});
