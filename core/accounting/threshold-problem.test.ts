import { describe, expect, it } from 'vitest';
import { DEFAULT_THRESHOLDS, findThresholdProblem, resolveThresholds, THRESHOLD_NAMES } from './thresholds';

const wrong = (lines: Partial<typeof DEFAULT_THRESHOLDS>) =>
  findThresholdProblem(
    { ...DEFAULT_THRESHOLDS, ...lines },
    THRESHOLD_NAMES.filter((name) => name in lines),
  );

describe('the lines of a project', () => {
  it('are valid by default, and the restart may be disabled', () => {
    expect(wrong({})).toBeNull();
    expect(wrong({ restartLine: 1.1 })).toBeNull();
    expect(wrong({ restartLine: 2 }), 'twice the limit is the highest').toBeNull();
  });

  it.each([0, -0.1, 2.01, Number.NaN, Number.POSITIVE_INFINITY])('reject %s by name', (line) => {
    expect(wrong({ compressLine: line })).toEqual({
      field: 'compressLine',
      reason: 'must be above 0 and at most 200 % of the limit',
    });
  });

  it('must ascend; if two do not, the error names the threshold that changed', () => {
    expect(wrong({ elevated: 0.8 })).toEqual({ field: 'elevated', reason: 'must be below warning (75 %)' });
    expect(wrong({ warning: 0.4 })).toEqual({ field: 'warning', reason: 'must be above elevated (50 %)' });
    expect(wrong({ warning: 0.5 })?.field, 'equal is not above').toBe('warning');
    expect(wrong({ critical: 1 })).toEqual({ field: 'critical', reason: 'must be below over limit (100 %)' });
    expect(wrong({ elevated: 0.9, warning: 0.8, critical: 0.95 })?.field).toBe('warning');
  });

  it('without a problem are accepted by the fold', () => {
    for (const lines of [{ elevated: 0.1 }, { redlined: 1.5 }, { warning: 0.84 }]) {
      expect(wrong(lines)).toBeNull();
      expect(() => resolveThresholds(lines)).not.toThrow();
    }
  });
});
