import { describe, expect, it } from 'vitest';
import { bandOpacity, gutterBands } from './gutter-bands';

describe('the gutter', () => {
  it('uses the default bounds if the project sets none', () => {
    expect(gutterBands(110).map(({ from, to }) => [from, to])).toEqual([
      [0, 50],
      [50, 75],
      [75, 85],
      [85, 100],
      [100, 110],
    ]);
  });

  it('starts each band at the project’s own bound', () => {
    const own = { elevated: 0.29, warning: 0.5, critical: 0.625, redlined: 1.5 };
    expect(gutterBands(110, own)).toEqual([
      { state: 'nominal', from: 0, to: 29 },
      { state: 'elevated', from: 29, to: 50 },
      { state: 'warning', from: 50, to: 62.5 },
      { state: 'critical', from: 62.5, to: 110 },
    ]);
    expect(gutterBands(160, own).at(-1)).toEqual({ state: 'redlined', from: 150, to: 160 });
  });

  it('draws nominal bands fainter than any other state, even when current', () => {
    expect(bandOpacity('nominal', 'nominal')).toBeLessThan(bandOpacity('warning', 'warning'));
    expect(bandOpacity('nominal', 'elevated')).toBeLessThan(bandOpacity('warning', 'elevated'));
  });
});
