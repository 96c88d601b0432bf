/** Words and times of the history page. */
import type { HistoryFigures, HistorySessionSort } from '@/core/api/history';
import type { SlotSize } from '@/core/history/slots';
import { formatClock, formatDay } from '../../format/format-time';

export const SESSION_SORTS = ['thrash', 'compactions', 'restarts'] as const satisfies HistorySessionSort[];

export const SLOT_WORDS: Readonly<Record<SlotSize, string>> = {
  '1m': '1-minute',
  '5m': '5-minute',
  '15m': '15-minute',
  '30m': '30-minute',
  '1h': '1-hour',
  '3h': '3-hour',
  '6h': '6-hour',
  '12h': '12-hour',
  '1d': '1-day',
  '7d': '1-week',
};

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

/** `20 Oct, 14:00–15:00`, `20 Oct`, `16–22 Nov`: the bucket in the viewer's zone. */
export function slotLabel(from: number, to: number, zone: string, partial = false): string {
  return partial ? `${slotSpan(from, to, zone)}, so far` : slotSpan(from, to, zone);
}

function slotSpan(from: number, to: number, zone: string): string {
  // A day may have 23 or 25 hours.
  if (to - from < DAY * 0.9) {
    return `${formatDay(from, zone)}, ${formatClock(from, zone)}–${formatClock(to, zone)}`;
  }
  if (to - from < DAY * 1.1) return formatDay(from, zone);
  const [first, last] = [formatDay(from, zone), formatDay(to - 1, zone)];
  const [firstDay, firstMonth] = first.split(' ');
  return last.endsWith(` ${firstMonth}`) ? `${firstDay}–${last}` : `${first}–${last}`;
}

/**
 * `19 Oct 2026, 12:00 – 20 Oct 2026, 12:00`, the range in the viewer's zone. A live range ends with the current bucket,
 * which is in the future: it says `now`.
 */
export function rangeLabel(from: number, to: number, zone: string, isLive = false): string {
  const year = (at: number) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, year: 'numeric' }).format(at);
  const side = (at: number) => `${formatDay(at, zone)} ${year(at)}, ${formatClock(at, zone)}`;
  if (isLive) return `${side(from)} – now`;
  return formatDay(from, zone) === formatDay(to, zone) && year(from) === year(to)
    ? `${side(from)}–${formatClock(to, zone)}`
    : `${side(from)} – ${side(to)}`;
}
