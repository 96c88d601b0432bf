import { describe, expect, it } from 'vitest';
import { prepareTrace, type TraceInput } from './prepare-trace';
import { boundaryOf, pointOf } from './series-fixture';
import { toRows } from './trace-segments';

const base: TraceInput = {
  lens: 'snapshot',
  points: [],
  boundaries: [],
  gaps: [],
  axis: 'turns',
  unit: 'percent',
  limit: 200_000,
  // Nothing is carried on after the last point.
  end: { x: 0, hold: 'solid' },
  liveFromX: null,
};
describe('prepareTrace', () => {
  it('gives each context its own sub-path, broken at the boundary', () => {
    const { segments } = prepareTrace({
      ...base,
      points: [
        pointOf({ n: 1, used: 100_000 }),
        pointOf({ n: 2, used: 160_000 }),
        pointOf({ n: 3, used: 60_000, context: 1 }),
        pointOf({ n: 4, used: 80_000, context: 1 }),
      ],
      boundaries: [boundaryOf({ turn: 2, contextAfter: 1 })],
    });
    const ink = segments.filter((segment) => segment.kind === 'ink');
    expect(ink).toEqual([
      {
        kind: 'ink',
        context: 0,
        points: [
          { x: 1, y: 50 },
          { x: 2, y: 80 },
          { x: 2.5, y: 80 },
        ],
      },
      {
        kind: 'ink',
        context: 1,
        points: [
          { x: 3, y: 30 },
          { x: 4, y: 40 },
        ],
      },
    ]);
  });

  it('draws the time after a boundary as unknown at the last known value, never as zero', () => {
    const { segments } = prepareTrace({
      ...base,
      points: [pointOf({ n: 1, used: 160_000 })],
      boundaries: [boundaryOf({ turn: 1 })],
      end: { x: 10, hold: 'solid' },
    });
    expect(segments.at(-1)).toEqual({
      kind: 'unknown',
      context: 1,
      points: [
        { x: 1.5, y: 80 },
        { x: 10, y: 80 },
      ],
    });
  });

  it('starts the cumulative lens at zero after a boundary', () => {
    const { segments } = prepareTrace({
      ...base,
      lens: 'cumulative',
      points: [pointOf({ n: 1, used: 160_000 }), pointOf({ n: 2, used: 20_000, context: 1 })],
      boundaries: [boundaryOf({ kind: 'restart', turn: 1 })],
    });
    expect(segments.at(-1)?.points).toEqual([
      { x: 1.5, y: 0 },
      { x: 2, y: 10 },
    ]);
  });

  it('breaks the trace where turns were dropped', () => {
    const { segments } = prepareTrace({
      ...base,
      points: [pointOf({ n: 1, used: 40_000 }), pointOf({ n: 2, used: 90_000 })],
      gaps: [{ at: 0, turn: 1 }],
    });
    expect(segments).toHaveLength(2);
    expect(segments[0]?.points.at(-1)).toEqual({ x: 1.5, y: 20 });
    expect(segments[1]?.points[0]).toEqual({ x: 2, y: 45 });
  });

  it('shows a null reading as a gap that names the last value, and picks up where it is known again', () => {
    const { segments } = prepareTrace({
      ...base,
      points: [
        pointOf({ n: 1, used: 40_000 }),
        pointOf({ n: 2, used: null }),
        pointOf({ n: 3, used: null }),
        pointOf({ n: 4, used: 60_000 }),
      ],
    });
    expect(segments.map(({ kind, points }) => [kind, points[0], points.at(-1)])).toEqual([
      ['ink', { x: 1, y: 20 }, { x: 2, y: 20 }],
      ['unknown', { x: 2, y: 20 }, { x: 4, y: 20 }],
      ['ink', { x: 4, y: 30 }, { x: 4, y: 30 }],
    ]);
  });

  it('draws nothing while the session is not tracked', () => {
    const { segments } = prepareTrace({
      ...base,
      lens: 'cumulative',
      points: [pointOf({ n: 1, used: 40_000 }), pointOf({ n: 2, used: null, untracked: true })],
      end: { x: 10, hold: 'solid' },
    });
    expect(segments).toEqual([
      {
        kind: 'ink',
        context: 0,
        points: [
          { x: 1, y: 20 },
          { x: 2, y: 20 },
        ],
      },
    ]);
  });

  it('keeps the peak and the low that a bucket hides', () => {
    const { segments, peak } = prepareTrace({
      ...base,
      points: [
        pointOf({ n: 1, used: 40_000 }),
        pointOf({ n: 9, used: 60_000, turns: 8, min: 20_000, max: 240_000 }),
      ],
    });
    expect(peak).toBe(120);
    expect(segments[0]?.points.map((point) => point.y)).toEqual([20, 120, 10, 30]);
  });

  it('draws the peak of a bucket over a boundary before the tear, and its low after it', () => {
    const { segments } = prepareTrace({
      ...base,
      points: [
        pointOf({ n: 10, used: 100_000 }),
        pointOf({ n: 20, used: 50_000, turns: 10, min: 40_000, max: 190_000, context: 1 }),
      ],
      boundaries: [boundaryOf({ turn: 14 })],
    });
    expect(segments[0]?.points).toContainEqual({ x: 14.5, y: 95 });
    // The low of the new context is drawn at its value; its time is not known.
    expect(segments.at(-1)?.points).toEqual([
      { x: 20, y: 20 },
      { x: 20, y: 25 },
    ]);
  });

  it('draws 1.2 of the limit at 120 %, not clamped', () => {
    const { peak, segments } = prepareTrace({ ...base, points: [pointOf({ n: 1, used: 240_000 })] });
    expect(peak).toBe(120);
    expect(segments[0]?.points[0]?.y).toBe(120);
  });

  it('draws an estimate apart from what was read, joined by its step', () => {
    const { segments } = prepareTrace({
      ...base,
      points: [pointOf({ n: 1, used: 40_000 }), pointOf({ n: 2, used: 50_000, estimated: true })],
    });
    expect(segments.map((segment) => segment.kind)).toEqual(['ink', 'estimate']);
    expect(segments[1]?.points).toEqual([
      { x: 2, y: 20 },
      { x: 2, y: 25 },
    ]);
  });

  it('repaints only the live end', () => {
    const { segments } = prepareTrace({
      ...base,
      points: [pointOf({ n: 1, used: 40_000 }), pointOf({ n: 5, used: 80_000 })],
      end: { x: 8, hold: 'solid' },
      liveFromX: 4,
    });
    expect(segments.at(-1)).toEqual({
      kind: 'live',
      context: 0,
      points: [
        { x: 4, y: 20 },
        { x: 5, y: 40 },
        { x: 8, y: 40 },
      ],
    });
  });

  it('does not paint the state of the open context over the one before', () => {
    const { segments } = prepareTrace({
      ...base,
      points: [pointOf({ n: 1, used: 180_000 }), pointOf({ n: 2, used: 40_000, context: 1 })],
      boundaries: [boundaryOf({ turn: 1 })],
      end: { x: 3, hold: 'solid' },
      liveFromX: 0,
    });
    expect(segments.filter((segment) => segment.kind === 'live').map((segment) => segment.context)).toEqual([
      1,
    ]);
  });

  it('measures each turn against the limit it ran in', () => {
    const { segments } = prepareTrace({
      ...base,
      points: [pointOf({ n: 1, used: 100_000 }), pointOf({ n: 2, used: 100_000, limit: 1_000_000 })],
    });
    expect(segments[0]?.points.map((point) => point.y)).toEqual([50, 10]);
  });

  it('shows tokens and no percentage without a limit', () => {
    const points = [pointOf({ n: 1, used: 70_000, limit: null })];
    expect(prepareTrace({ ...base, points, limit: null }).segments).toEqual([]);
    expect(prepareTrace({ ...base, points, limit: null, unit: 'tokens' }).peak).toBe(70_000);
  });
});

describe('toRows', () => {
  it('ends each piece with an empty row, so that no line joins two contexts', () => {
    const rows = toRows([
      {
        kind: 'ink',
        context: 0,
        points: [
          { x: 1, y: 5 },
          { x: 2, y: 6 },
        ],
      },
      { kind: 'ink', context: 1, points: [{ x: 3, y: 1 }] },
    ]);
    expect(rows.ink?.map((row) => row.y)).toEqual([5, 6, null, 1, null]);
    expect(rows.unknown).toBeUndefined();
  });
});
