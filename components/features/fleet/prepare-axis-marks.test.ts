import { describe, expect, it } from 'vitest';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import { axisMarks } from './prepare-axis-marks';

const labelsOf = (bounds: Parameters<typeof axisMarks>[0]) =>
  axisMarks(bounds).map(({ at, word }) => `${at} ${word}`.trim());

describe('the axis of the fleet', () => {
  it('names the usual bounds where no project set its own', () => {
    expect(labelsOf(DEFAULT_THRESHOLDS)).toEqual([
      '0 nominal',
      '50 elevated',
      '75 warning',
      '85 critical',
      '100 limit',
    ]);
  });

  it('names a project’s own bounds, each once, and never two words in one place', () => {
    const own = { elevated: 0.3, warning: 0.6, critical: 0.65, redlined: 1.05 };
    expect(labelsOf(own)).toEqual(['0 nominal', '30 elevated', '60', '65 critical', '100', '105 over limit']);
    expect(labelsOf({ elevated: 0.3, warning: 0.6, critical: 0.8, redlined: 1.2 })).not.toContain(
      '120 over limit',
    );
  });

  it('names no state where sessions differ in their bounds', () => {
    expect(labelsOf(null)).toEqual(['0', '50', '75', '100 limit']);
    expect(axisMarks(null).every(({ state }) => state === null)).toBe(true);
  });
});
