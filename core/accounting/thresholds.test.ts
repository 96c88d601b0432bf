import { describe, expect, it } from 'vitest';
import { commonBounds, DEFAULT_THRESHOLDS, ownBounds, resolveThresholds } from './thresholds';

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

describe('the bounds of most sessions', () => {
  it('are the defaults without sessions, or without own bounds', () => {
    expect(commonBounds([])).toEqual({ bounds: usual, isShared: true });
    const sessions = [{ bounds: null }, { bounds: null }, { bounds: usual }];
    expect(commonBounds(sessions)).toEqual({ bounds: usual, isShared: true });
  });

  it('are the bounds that all sessions have', () => {
    const own = { ...usual, warning: 0.7 };
    const sessions = [{ bounds: own }, { bounds: { ...own } }];
    expect(commonBounds(sessions)).toEqual({ bounds: own, isShared: true });
  });

  it.each(names)('are not shared if one session differs in %s', (name) => {
    const own = { ...usual, [name]: usual[name] + 0.01 };
    const other = { bounds: own };
    expect(commonBounds([{ bounds: null }, other])).toEqual({ bounds: usual, isShared: false });
    expect(commonBounds([other, other, { bounds: null }])).toEqual({ bounds: own, isShared: false });
  });
});

describe('thresholds', () => {
  it('are filled with the defaults', () => {
    expect(resolveThresholds({})).toEqual(DEFAULT_THRESHOLDS);
    expect(resolveThresholds({ warning: 0.6 })).toEqual({ ...DEFAULT_THRESHOLDS, warning: 0.6 });
  });
});
