import { describe, expect, it } from 'vitest';
import type { Session } from '@/core/api/session';
import { sessionOf } from '../format/testing/make-session';
import { chartScale } from './chart-scale';
import { prepareLines, prepareSums } from './prepare-lines';
import { boundaryOf, pointOf } from './series-fixture';

const input = (session: Session, fields: Partial<Parameters<typeof prepareLines>[0]> = {}) => ({
  session,
  scale,
  top: 110,
  boundaries: [],
  points: [],
  range: [0, 10] as const,
  isOpen: true,
  ...fields,
});

const scale = chartScale('turns', 'percent', 200_000);

describe('prepareLines', () => {
  it.each([
    [['auto', 'manual', 'auto'], 'seen at 2 compactions'],
    [['manual', 'auto'], 'seen at 1 compaction'],
    [['manual', null], 'learned from earlier compactions'],
  ])('learns a compaction point from automatic compactions only: %s', (triggers, note) => {
    const { nextBoundary: next } = sessionOf();
    const nextBoundary = next ? { ...next, source: 'learned' as const } : null;
    const session = sessionOf({ compactsAt: 155_000, nextBoundary });
    const boundaries = [
      ...triggers.map((trigger) => ({ kind: 'compaction', trigger }) as const),
      { kind: 'restart', trigger: 'auto' } as const,
    ];
    const lines = prepareLines(input(session, { boundaries }));
    expect(lines.find(({ id }) => id === 'compaction')?.note).toBe(note);
  });

  it('notes a compaction point that the session passed without a compaction', () => {
    const session = sessionOf({ compactsAt: null, compactionPassed: 167_000 });
    const line = prepareLines(input(session)).find(({ id }) => id === 'compaction');
    expect(line).toMatchObject({ note: 'passed, no compaction seen' });
  });

  it('lists lines from the top down, without lines above the axis or a restart that cannot happen', () => {
    const ids = (fields: Parameters<typeof sessionOf>[0], top = 110) =>
      prepareLines(input(sessionOf(fields), { top })).map(({ id }) => id);
    expect(ids({})).toEqual(['limit', 'restart', 'compaction']);
    expect(ids({ restartLine: 1.1 })).toEqual(['limit', 'compaction']);
    expect(ids({}, 95)).toEqual(['restart', 'compaction']);
  });
});

it('draws a change of the limit as a step of limit and restart line, and the compaction point after it', () => {
  const points = [100_000, 100_000, 200_000].map((limit, index) => pointOf({ n: index + 1, limit }));
  const session = sessionOf({ limit: 200_000, restartLine: 0.9, compactsAt: 167_000 });
  const segments = (id: string, fields = {}) =>
    prepareLines(input(session, { points, ...fields }))
      .find((line) => line.id === id)
      ?.segments.map((pieces) => pieces.map(({ x, y }) => [x, y]));
  expect(segments('limit')).toEqual([
    [
      [0, 50],
      [3, 50],
    ],
    [
      [3, 50],
      [3, 100],
    ],
    [
      [3, 100],
      [10, 100],
    ],
  ]);
  expect(segments('restart')?.map(([from]) => from)).toEqual([
    [0, 45],
    [3, 45],
    [3, 90],
  ]);
  expect(segments('compaction')).toEqual([
    [
      [3, 83.5],
      [10, 83.5],
    ],
  ]);
  // The old limit is above the axis, so only the step from the edge is drawn.
  const shrunk = [400_000, 200_000].map((limit, index) => pointOf({ n: index + 1, limit }));
  expect(segments('limit', { points: shrunk })?.[0]).toEqual([
    [2, 110],
    [2, 100],
  ]);
  // A zoom to older turns names the limit of those turns.
  const [older] = prepareLines(input(session, { points: points.slice(0, 2), isOpen: false }));
  expect(older).toMatchObject({ id: 'limit', y: 50, amount: '100\u00a0k' });
});

describe('prepareSums', () => {
  const base = { boundaries: [], scale };
  const end = { x: 0, hold: 'solid' } as const;
  const point = (n: number, cumulativeInput: number, cumulativeOutput: number, context = 0) =>
    pointOf({ n, used: 150_000, cumulativeInput, cumulativeOutput, context });

  it('draws and labels the sums of the context, not its reading', () => {
    const points = [point(1, 20_000, 2_000), point(2, 50_000, 4_000)];
    const [input, output] = prepareSums({ ...base, end, points });
    expect(input?.segments[0]?.points.map(({ y }) => y)).toEqual([10, 25]);
    expect(input).toMatchObject({ name: 'input so far', y: 25, peak: 25 });
    expect(output?.amount).toBe('4.0\u00a0k');
  });

  it('restarts at zero with each context', () => {
    const boundaries = [boundaryOf({ turn: 2 })];
    const points = [point(1, 20_000, 0), point(2, 40_000, 0), point(3, 10_000, 0, 1)];
    const [input] = prepareSums({ ...base, end, boundaries, points });
    expect(input?.segments.map((segment) => segment.points[0]?.y)).toEqual([10, 0]);
    expect(input?.y).toBe(5);
    expect(prepareSums({ ...base, end, boundaries, points: points.slice(0, 1) })[0]?.y).toBe(0);
  });

  it('draws nothing for untracked turns', () => {
    const [input] = prepareSums({ ...base, end, points: [{ ...point(1, 0, 0), untracked: true }] });
    expect(input).toMatchObject({ segments: [], y: null });
  });
});
