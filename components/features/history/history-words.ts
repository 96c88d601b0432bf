/** Words and times of the history page. */
import type { HistoryFigures, HistoryPoint, HistorySessionSort } from '@/core/api/history';
import type { SlotSize } from '@/core/history/slots';
import { instantOf, zoneOffsetMs } from '@/core/time/zone-offset';
import { prepareTimeTicks, type Tick } from '../../charts/prepare-axes';
import { formatDuration } from '../../format/format-duration';

export interface Slot {
  /** Milliseconds. */
  from: number;
  to: number;
  point: HistoryPoint;
  /** The current bucket: its figures may still grow. */
  partial: boolean;
}

export const SESSION_SORTS = ['thrash', 'compactions', 'restarts'] as const satisfies HistorySessionSort[];

/** `30-minute`; `1-week` for seven days. */
export function slotWords(size: SlotSize): string {
  if (size === '7d') return '1-week';
  return size.replace('m', '-minute').replace('h', '-hour').replace('d', '-day');
}

const SHOWN_DELAY_MS = 3_000;

/** Empty if the figures are current. */
export function delayWords(behindMs: number | null): string {
  return (behindMs ?? 0) < SHOWN_DELAY_MS
    ? ''
    : `, ${formatDuration(behindMs ?? 0)} behind (read from a replica)`;
}

/** How often a session reached a boundary; empty for fewer than two boundaries. */
export function boundaryRhythm(figures: Pick<HistoryFigures, 'turns' | 'compactions' | 'restarts'>): string {
  const { turns, compactions, restarts } = figures;
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
export function slotLabel({ from, to, partial }: Omit<Slot, 'point'>, zone: string): string {
  // A day may have 23 hours.
  const isTime = to - from < DAY * 0.9;
  const span = formatOf(zone, isTime ? TIME_FORM : DAY_FORM).formatRange(from, isTime ? to : to - 1);
  return partial ? `${span}, so far` : span;
}

/**
 * `19 Oct 2026, 12:00 – 20 Oct 2026, 12:00` in the viewer's zone. A live range ends `now`, because its last bucket is
 * not complete.
 */
export function rangeLabel(from: number, to: number, zone: string, isLive = false): string {
  const format = formatOf(zone, { ...TIME_FORM, year: 'numeric' });
  return isLive ? `${format.format(from)} – now` : format.formatRange(from, to);
}

const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60];

/** Round local times of a range, at most `count`; first days of months for a long range. */
export function prepareRangeTicks(from: number, to: number, count: number, zone: string): Tick[] {
  if (to - from < 100 * DAY) return prepareTimeTicks(from, to, count, zone);
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
