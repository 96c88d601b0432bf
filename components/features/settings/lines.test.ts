import { describe, expect, it } from 'vitest';
import type { ProjectSettings } from '@/core/api/settings';
import { findLineProblems, percentText, readChange, toFields } from './lines';

const own: ProjectSettings['own'] = {
  elevated: null,
  warning: 0.7,
  critical: null,
  redlined: null,
  compressLine: null,
  restartLine: 0.625,
};
const fields = (changes: Partial<ReturnType<typeof toFields>> = {}) => ({ ...toFields(own), ...changes });

describe('the form of a project’s lines', () => {
  it('shows a project’s own lines in percent and leaves defaults empty', () => {
    expect(toFields(own)).toEqual({
      elevated: '',
      warning: '70',
      critical: '',
      redlined: '',
      compressLine: '',
      restartLine: '62.5',
    });
    expect(percentText(0.29)).toBe('29');
  });

  it('sends only differences, and null for an emptied field', () => {
    expect(readChange(fields(), own)).toEqual({});
    expect(readChange(fields({ warning: '', elevated: ' 40 %', critical: '87,5' }), own)).toEqual({
      warning: null,
      elevated: 0.4,
      critical: 0.875,
    });
    expect(readChange(fields({ elevated: '29' }), own).elevated, 'no binary dust').toBe(0.29);
  });

  it('finds invalid fields', () => {
    expect(findLineProblems(fields(), own)).toEqual({});
    expect(findLineProblems(fields({ elevated: 'half', critical: '1e2' }), own)).toEqual({
      elevated: 'must be a percentage, as in 75 or 62.5',
      critical: 'must be a percentage, as in 75 or 62.5',
    });
    expect(findLineProblems(fields({ elevated: '70' }), own)).toEqual({
      elevated: 'must be below warning (70 %)',
    });
    expect(findLineProblems(fields({ restartLine: '110' }), own)).toEqual({});
    expect(findLineProblems(fields({ restartLine: '201' }), own)).toEqual({
      restartLine: 'must be above 0 and at most 200 % of the limit',
    });
  });
});
