import { describe, expect, it } from 'vitest';
import { DEFAULT_THRESHOLDS, ownBounds, resolveThresholds, sharedBounds } from './thresholds';

const usual = { elevated: 0.5, warning: 0.75, critical: 0.85, redlined: 1 };
const names = ['elevated', 'warning', 'critical', 'redlined'] as const;

describe('the bounds of states', () => {
  it('are null if all four are the defaults', () => {
    expect(ownBounds(DEFAULT_THRESHOLDS)).toBeNull();
    expect(ownBounds({ ...DEFAULT_THRESHOLDS, restartLine: 0.7, compressLine: 0.6 })).toBeNull();
  });

  it.each(names)('are the project’s own if %s differs', (name) => {
    const moved = usual[name] + 0.01;
    expect(ownBounds({ ...DEFAULT_THRESHOLDS, [name]: moved })).toEqual({ ...usual, [name]: moved });
  });
});

describe('the bounds that sessions share', () => {
  it('are the defaults without sessions, or without own bounds', () => {
    expect(sharedBounds([])).toEqual(usual);
    expect(sharedBounds([{ bounds: null }, { bounds: null }, { bounds: usual }])).toEqual(usual);
  });

  it('are the bounds that all sessions have', () => {
    const own = { ...usual, warning: 0.7 };
    expect(sharedBounds([{ bounds: own }, { bounds: { ...own } }])).toEqual(own);
  });

  it.each(names)('are null if one session differs in %s', (name) => {
    const other = { bounds: { ...usual, [name]: usual[name] + 0.01 } };
    expect(sharedBounds([{ bounds: null }, other])).toBeNull();
    expect(sharedBounds([other, other, { bounds: null }])).toBeNull();
  });
});

describe('thresholds', () => {
  it('are filled with the defaults', () => {
    expect(resolveThresholds({})).toEqual(DEFAULT_THRESHOLDS);
    expect(resolveThresholds({ warning: 0.6 })).toEqual({ ...DEFAULT_THRESHOLDS, warning: 0.6 });
  });
});
