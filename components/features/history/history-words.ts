/** Words and times of the history page. */
import type { HistoryFigures, HistorySessionSort } from '@/core/api/history';
import type { SlotSize } from '@/core/history/slots';
import { instantOf, zoneOffsetMs } from '@/core/time/zone-offset';
import { prepareTimeTicks, type Tick } from '../../charts/prepare-axes';

export const SESSION_SORTS = ['thrash', 'compactions', 'restarts'] as const satisfies HistorySessionSort[];

const UNIT_WORDS: Readonly<Record<string, string>> = { m: 'minute', h: 'hour', d: 'day' };

/** `30-minute`; a week for seven days. */
export function slotWords(size: SlotSize): string {
  return size === '7d' ? '1-week' : `${Number.parseInt(size, 10)}-${UNIT_WORDS[size.at(-1) ?? '']}`;
}

/** How often a session reached a boundary; empty for fewer than two. */
export function boundaryRhythm({
  turns,
  compactions,
  restarts,
}: Pick<HistoryFigures, 'turns' | 'compactions' | 'restarts'>): string {
  const [word, count] = compactions >= restarts ? ['Compacted', compactions] : ['Restarted', restarts];
  if (count < 2 || turns === 0) return '';
  const every = Math.round(turns / count);
  return `${word} every ${every <= 1 ? 'turn' : `${every} turns`}.`;
}

const DAY = 86_400_000;

const DAY_FORM = { day: 'numeric', month: 'short' } as const;
const TIME_FORM = { ...DAY_FORM, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string, form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${Object.keys(form)}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...form, timeZone: zone });
  formats.set(key, format);
  return format;
}

/** `20 Oct, 14:00–15:00`, `20 Oct`, `16 – 22 Nov`: the bucket in the viewer's zone. */
export function slotLabel(
  { from, to, partial }: { from: number; to: number; partial: boolean },
  zone: string,
): string {
  // A day may have 23 hours.
  const isTime = to - from < DAY * 0.9;
  const span = formatOf(zone, isTime ? TIME_FORM : DAY_FORM).formatRange(from, isTime ? to : to - 1);
  return partial ? `${span}, so far` : span;
}

/**
 * `19 Oct 2026, 12:00 – 20 Oct 2026, 12:00`, the range in the viewer's zone. A live range ends with the current bucket,
 * which is in the future: it says `now`.
 */
export function rangeLabel(from: number, to: number, zone: string, isLive = false): string {
  const format = formatOf(zone, { ...TIME_FORM, year: 'numeric' });
  return isLive ? `${format.format(from)} – now` : format.formatRange(from, to);
}

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
