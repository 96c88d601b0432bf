import { describe, expect, it } from 'vitest';
import { prepareSums } from './prepare-sums';
import { boundaryOf, pointOf } from './series-fixture';

const base = {
  boundaries: [],
  gaps: [],
  axis: 'turns' as const,
  unit: 'percent' as const,
  limit: 200_000,
  end: { x: 9, hold: 'none' as const },
};
const point = (n: number, cumulativeInput: number, cumulativeOutput: number, context = 0) =>
  pointOf({ n, used: 150_000, cumulativeInput, cumulativeOutput, context });

describe('input and output so far', () => {
  it('are the sums of the context and not the reading, named with where they end', () => {
    const [input, output] = prepareSums({
      ...base,
      points: [point(1, 20_000, 2_000), point(2, 50_000, 4_000)],
    });
    expect(input?.segments[0]?.points.map(({ y }) => y)).toEqual([10, 25]);
    expect(input).toMatchObject({ name: 'input so far', y: 25, peak: 25 });
    expect(output?.amount.replace('\u00a0', ' ')).toBe('4.0 k');
  });

  it('begin again at zero with each context', () => {
    const boundary = boundaryOf({ turn: 2 });
    const [input] = prepareSums({
      ...base,
      boundaries: [boundary],
      points: [point(1, 20_000, 0), point(2, 40_000, 0), point(3, 10_000, 0, 1)],
    });
    expect(input?.segments.map(({ points }) => points[0]?.y)).toEqual([10, 0]);
    expect(input?.y).toBe(5);
    const [waiting] = prepareSums({ ...base, boundaries: [boundary], points: [point(1, 20_000, 0)] });
    expect(waiting?.y).toBe(0);
  });

  it('say nothing of what was not tracked', () => {
    const [input] = prepareSums({ ...base, points: [{ ...point(1, 0, 0), untracked: true }] });
    expect(input).toMatchObject({ segments: [], y: null });
  });
});
