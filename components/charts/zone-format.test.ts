import { describe, expect, it } from 'vitest';
import { prepareTimeTicks } from './prepare-axes';
import { zoneFormat } from './zone-format';

const hour = 3_600_000;

describe('prepareTimeTicks in a zone', () => {
  it('names the viewer’s midnight as a day', () => {
    const from = Date.parse('2026-01-23T20:00:00Z');
    const ticks = prepareTimeTicks(from, from + 8 * hour, 8, zoneFormat('Europe/Berlin'));
    expect(ticks.find((tick) => tick.x === Date.parse('2026-01-23T23:00:00Z'))?.label).toBe('24 Jan');
  });
  it('stays on whole local hours when the clocks change', () => {
    const from = Date.parse('2026-03-28T20:00:00Z');
    const ticks = prepareTimeTicks(from, from + 16 * hour, 8, zoneFormat('Europe/Berlin'));
    expect(ticks.every((tick) => tick.label === '29 Mar' || tick.label.endsWith(':00'))).toBe(true);
  });
});
