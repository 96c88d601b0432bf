import { instantOf, zoneOffsetMs } from '@/core/time/zone-offset';
import { prepareTimeTicks, type Tick } from '../../charts/prepare-axes';

const DAY = 86_400_000;
/** From here on months say more than days. */
const MONTHS_FROM_MS = 100 * DAY;
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60];

/** Round local times of a range, at most `count`: months where it is long. */
export function prepareRangeTicks(from: number, to: number, count: number, zone: string): Tick[] {
  if (to - from < MONTHS_FROM_MS) return prepareTimeTicks(from, to, count, zone);
  const step = MONTH_STEPS.find((months) => (to - from) / (months * 30.4 * DAY) <= count) ?? 120;
  const name = new Intl.DateTimeFormat('en-GB', { timeZone: zone, month: 'short' });
  const start = new Date(from + zoneOffsetMs(from, zone));
  const ticks: Tick[] = [];
  const first = start.getUTCFullYear() * 12 + start.getUTCMonth();
  for (let month = Math.ceil(first / step) * step; ; month += step) {
    const x = instantOf(Date.UTC(Math.floor(month / 12), month % 12), zone);
    if (x > to) return ticks;
    if (x < from) continue;
    ticks.push({ x, label: month % 12 === 0 ? String(month / 12) : name.format(x) });
  }
}
