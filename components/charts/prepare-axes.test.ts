import { describe, expect, it } from 'vitest';
import {
  prepareTimeTicks,
  prepareTurnTicks,
  prepareValueAxis,
  roundTokens,
  valueTickLabel,
} from './prepare-axes';

describe('prepareValueAxis', () => {
  it.each<[peak: number, top: number, ticks: number[]]>([
    [0, 110, [0, 25, 50, 75, 100]],
    [110, 110, [0, 25, 50, 75, 100]],
    [120, 130, [0, 25, 50, 75, 100, 125]],
    [160, 170, [0, 25, 50, 75, 100, 125, 150]],
    [719.3, 800, [0, 100, 200, 400, 600, 800]],
  ])('gives a peak of %d per cent an axis that ends at %d per cent', (peak, top, ticks) => {
    expect(prepareValueAxis(peak, 'percent')).toEqual({ unit: 'percent', domain: [0, top], ticks });
  });
  it('has ticks at round token counts without a limit', () => {
    const { ticks } = prepareValueAxis(137_000, 'tokens');
    expect(ticks.map((tick) => valueTickLabel(tick, 'tokens'))).toContain('50\u00a0k');
  });
});

it('writes round counts without trailing zeros', () => {
  const words = [1_500_000, 2_000_000, 1_250_000, 500].map(roundTokens);
  expect(words.join().replaceAll('\u00a0', ' ')).toBe('1.5 M,2 M,1.25 M,500');
});

describe('prepareTimeTicks', () => {
  const hour = 3_600_000;
  const at = (text: string) => Date.parse(`2026-01-23T${text}:00Z`);
  it('has ticks at round times', () => {
    const ticks = prepareTimeTicks(at('14:22'), at('17:04'), 6, 'UTC');
    expect(ticks.map((tick) => tick.label)).toEqual(['14:30', '15:00', '15:30', '16:00', '16:30', '17:00']);
  });
  it('places round times in the viewer’s zone, also at half-hour offsets', () => {
    const ticks = prepareTimeTicks(at('10:00'), at('20:00'), 6, 'Asia/Kolkata');
    for (const tick of ticks) expect((tick.x + 5.5 * hour) % (2 * hour)).toBe(0);
    expect(ticks.length).toBeGreaterThan(3);
  });
  it('labels the viewer’s midnight with the day', () => {
    const ticks = prepareTimeTicks(at('20:00'), at('20:00') + 8 * hour, 8, 'Europe/Berlin');
    expect(ticks.find((tick) => tick.x === at('23:00'))?.label).toBe('24 Jan');
  });
  it('stays on whole local hours when the clocks change', () => {
    const from = Date.parse('2026-03-28T20:00:00Z');
    const ticks = prepareTimeTicks(from, from + 16 * hour, 8, 'Europe/Berlin');
    expect(ticks.every((tick) => tick.label === '29 Mar' || tick.label.endsWith(':00'))).toBe(true);
  });
  it('gives at most the requested number of ticks', () => {
    const year = 365 * 86_400_000;
    for (const span of [5000, 90_000, 3_600_000, 86_400_000, year]) {
      expect(prepareTimeTicks(at('14:22'), at('14:22') + span, 8, 'UTC').length).toBeLessThanOrEqual(9);
    }
  });
});

describe('prepareTurnTicks', () => {
  it('labels whole turns only, for any range and width', () => {
    for (let to = 2; to < 200; to += 1) {
      for (let count = 1; count < 14; count += 1) {
        const ticks = prepareTurnTicks(0, to, count).map((tick) => tick.x);
        expect(ticks.every(Number.isInteger), `${to} turns, ${count} ticks: ${ticks}`).toBe(true);
      }
    }
  });

  it('has ticks at whole turns', () => {
    expect(prepareTurnTicks(0, 12, 30).map((tick) => tick.x)).toEqual([...Array(13).keys()]);
    expect(prepareTurnTicks(0, 1_000_000, 8).map((tick) => tick.label)).toContain('400\u00a0k');
  });
});
