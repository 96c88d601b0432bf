import { describe, expect, test } from 'vitest';
import { DEFAULT_TRACKER_CONFIG } from './tracker-config';
import { checkTargetPercent, resolveAutoCompress } from './tracker-options';

describe('a target', () => {
  test('is refused with its bounds and with what it is', () => {
    expect(checkTargetPercent(0)).toBe(0);
    expect(checkTargetPercent(100, 100)).toBe(100);
    expect(checkTargetPercent(250)).toBe(250);
    expect(() => checkTargetPercent(-1)).toThrow(
      new RangeError('the target must be a percentage of at least 0, not -1'),
    );
    expect(() => checkTargetPercent(101, 100)).toThrow(
      new RangeError('the target must be a percentage of at least 0 and at most 100, not 101'),
    );
    expect(() => checkTargetPercent(Number.NaN)).toThrow(/not NaN$/);
  });
});

describe('automatic compression', () => {
  test('is off unless it is asked for, and has a target of its own or the default', () => {
    expect(resolveAutoCompress(undefined, DEFAULT_TRACKER_CONFIG)).toBeNull();
    expect(resolveAutoCompress(false, DEFAULT_TRACKER_CONFIG)).toBeNull();
    expect(resolveAutoCompress(true, DEFAULT_TRACKER_CONFIG)).toBe(50);
    expect(resolveAutoCompress({}, DEFAULT_TRACKER_CONFIG)).toBe(50);
    expect(resolveAutoCompress({ targetPercent: 30 }, DEFAULT_TRACKER_CONFIG)).toBe(30);
  });

  test('aims at half of a line that is not above the default', () => {
    expect(resolveAutoCompress(true, { ...DEFAULT_TRACKER_CONFIG, autoCompressPercent: 50 })).toBe(25);
    expect(resolveAutoCompress(true, { ...DEFAULT_TRACKER_CONFIG, autoCompressPercent: 51 })).toBe(50);
  });
});
