import { expect, it } from 'vitest';
import { chartScale } from './chart-scale';
import { prepareTrace, type TraceInput } from './prepare-trace';
import { boundaryOf, pointOf } from './series-fixture';
import { toRows } from './trace-segments';

const base: Omit<TraceInput, 'points'> = {
  lens: 'snapshot',
  boundaries: [],
  scale: chartScale('turns', 'percent', 200_000),
  // Nothing is drawn after the last point.
  end: { x: 0, hold: 'solid' },
};
const toTen = { x: 10, hold: 'solid' } as const;
type Points = Parameters<typeof prepareTrace>[0]['points'];
const at = (n: number, used: number | null, more: object = {}) => pointOf({ n, used, ...more });
const trace = (points: Points, fields: Partial<TraceInput> = {}) =>
  prepareTrace({ ...base, points, ...fields });
/** Each piece as its kind and points: `ink 1,50 2,80`. */
const drawn = (...input: Parameters<typeof trace>) =>
  trace(...input).segments.map(
    ({ kind, points }) => `${kind} ${points.map(({ x, y }) => `${x},${y}`).join(' ')}`,
  );
const next = { context: 1 };
const tornAt = (turn: number) => [boundaryOf({ turn })];

it.each<[title: string, Points, Partial<TraceInput>, pieces: string[]]>([
  [
    'draws each context as a separate piece',
    [at(1, 100_000), at(2, 160_000), at(3, 60_000, next), at(4, 80_000, next)],
    { boundaries: tornAt(2) },
    ['ink 1,50 2,80 2.5,80', 'unknown 2.5,80 3,80', 'ink 3,30 4,40'],
  ],
  [
    'draws the time after a boundary as unknown at the last known value, never as zero',
    [at(1, 160_000)],
    { boundaries: tornAt(1), end: toTen },
    ['ink 1,80 1.5,80', 'unknown 1.5,80 10,80'],
  ],
  [
    'starts the cumulative lens at zero after a boundary',
    [at(1, 160_000), at(2, 20_000, next)],
    { lens: 'cumulative', boundaries: tornAt(1) },
    ['ink 1,80 1.5,80', 'ink 1.5,0 2,10'],
  ],
  [
    'breaks the trace where turns were dropped',
    [at(1, 40_000), at(2, 90_000)],
    { gaps: [{ at: 0, turn: 1 }] },
    ['ink 1,20 1.5,20', 'ink 2,45'],
  ],
  [
    'draws a null reading as unknown at the last value, until the next reading',
    [at(1, 40_000), at(2, null), at(3, null), at(4, 60_000)],
    {},
    ['ink 1,20 2,20', 'unknown 2,20 4,20', 'ink 4,30'],
  ],
  [
    'draws nothing while the session is not tracked',
    [at(1, 40_000), at(2, null, { untracked: true })],
    { lens: 'cumulative', end: toTen },
    ['ink 1,20 2,20'],
  ],
  [
    'keeps the peak and the low that a bucket hides',
    [at(1, 40_000), at(9, 60_000, { turns: 8, min: 20_000, max: 240_000 })],
    {},
    ['ink 1,20 9,120 9,10 9,30'],
  ],
  [
    'draws the peak of a bucket across a boundary before the tear, and the low after the tear',
    [at(10, 100_000), at(20, 50_000, { turns: 10, min: 40_000, max: 190_000, ...next })],
    { boundaries: tornAt(14) },
    ['ink 10,50 14.5,95', 'unknown 14.5,50 20,50', 'ink 20,20 20,25'],
  ],
  ['draws 1.2 of the limit at 120 %, not clamped', [at(1, 240_000)], {}, ['ink 1,120']],
  [
    'draws an estimate as its own piece, joined to the readings by a step',
    [at(1, 40_000), at(2, 50_000, { estimated: true })],
    {},
    ['ink 1,20 2,20', 'estimate 2,20 2,25'],
  ],
  [
    'repaints only the live end',
    [at(1, 40_000), at(5, 80_000)],
    { end: { x: 8, hold: 'solid' }, liveFromX: 4 },
    ['ink 1,20 5,40 8,40', 'live 4,20 5,40 8,40'],
  ],
  [
    'does not paint the state of the open context over the previous one',
    [at(1, 180_000), at(2, 40_000, next)],
    { boundaries: tornAt(1), end: toTen, liveFromX: 0 },
    ['ink 1,90 1.5,90', 'unknown 1.5,90 2,90', 'ink 2,20 10,20', 'live 2,20 10,20'],
  ],
  [
    'measures each turn against its own limit',
    [at(1, 100_000), at(2, 100_000, { limit: 1_000_000 })],
    {},
    ['ink 1,50 2,10'],
  ],
])('%s', (_, points, fields, pieces) => {
  expect(drawn(points, fields)).toEqual(pieces);
});

it('shows tokens and no percentage without a limit, and counts hidden peaks', () => {
  const points = [at(1, 70_000, { limit: null })];
  expect(drawn(points, { scale: chartScale('turns', 'percent', null) })).toEqual([]);
  expect(trace(points, { scale: chartScale('turns', 'tokens', null) }).peak).toBe(70_000);
  expect(trace([at(9, 60_000, { turns: 8, max: 240_000 })]).peak).toBe(120);
});

it('ends each piece with an empty row, so that no line joins two contexts', () => {
  const { segments } = trace([at(1, 10_000), at(2, 12_000), at(3, 2_000, next)], { boundaries: tornAt(2) });
  const { ink, idle } = toRows(segments);
  expect(ink?.map((row) => row.y)).toEqual([5, 6, 6, null, 1, null]);
  expect(idle).toBeUndefined();
});
