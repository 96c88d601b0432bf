'use client';
import type { History } from '@/core/api/history';
import { formatClock, formatDay } from '../format/format-time';
import { recordedSpan } from './recorded-span';

interface BlankStretchProps {
  history: History;
  isFiltered: boolean;
  zone: string;
  /** Shows from here to there, milliseconds. */
  zoom: (from: number, to: number) => void;
}

const DAY_MS = 86_400_000;

/** Most of the range came before anything was recorded: since when there is something, and one step to it. */
export function BlankStretch({ history, isFiltered, zone, zoom }: BlankStretchProps) {
  const span = recordedSpan(history);
  if (span === null) return null;
  const isWithinADay = Date.parse(history.to) - span.from < DAY_MS;
  const since = isWithinADay ? formatClock(span.from, zone) : formatDay(span.from, zone);
  return (
    <p className="absolute top-[90px] left-[64px] max-w-[30ch] bg-paper py-[6px] pr-[12px] text-ink2 max-md:max-w-[20ch]">
      Nothing was recorded here before {since}
      {isFiltered ? ' for what is chosen' : ''}.{' '}
      <button type="button" className="link text-ink" onClick={() => zoom(span.from, span.to)}>
        Show what was recorded
      </button>
    </p>
  );
}
