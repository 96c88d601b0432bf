'use client';
import Link from 'next/link';
import type { History } from '@/core/api/history';
import { formatClock, formatDay, formatInstant } from '../../format/format-time';
import { Ago } from '../../ui/ago';
import { recordedSpan } from './history-range';
import type { ChangeHistoryUrl } from './use-history';

interface EmptyRangeProps {
  history: History;
  newestAt: string | null;
  isFiltered: boolean;
  change: ChangeHistoryUrl;
  zone: string;
  /** Milliseconds. */
  zoom: (from: number, to: number) => void;
}

const DAY_MS = 86_400_000;

/** A note on a range without data, or with a mostly blank beginning, and the way to the data. */
export function EmptyRange({ history, newestAt, isFiltered, change, zone, zoom }: EmptyRangeProps) {
  const filters = isFiltered ? ' for these filters' : '';
  if (history.points.length > 0) {
    const span = recordedSpan(history);
    if (span === null) return null;
    const isWithinADay = Date.parse(history.to) - span.from < DAY_MS;
    const since = isWithinADay ? formatClock(span.from, zone) : formatDay(span.from, zone);
    return (
      <p className="absolute top-[90px] left-[64px] max-w-[30ch] bg-paper py-[6px] pr-[12px] text-ink2 max-md:max-w-[20ch]">
        No data before {since}
        {filters}.{' '}
        <button type="button" className="link text-ink" onClick={() => zoom(span.from, span.to)}>
          Zoom to the data
        </button>
      </p>
    );
  }
  const around = Date.parse(newestAt ?? '');
  return (
    <div
      role="status"
      className="absolute top-[90px] left-[44px] max-w-[52ch] bg-paper py-[6px] pr-[12px] pl-[10px]"
    >
      <p>No data in this range{filters}</p>
      {newestAt === null ? (
        <p className="pt-[4px] text-ink2">
          No turns yet.{' '}
          <Link href="/connect" className="link text-ink">
            Connect a runner
          </Link>{' '}
          to record the first one.
        </p>
      ) : (
        <p className="pt-[4px] text-ink2" title={formatInstant(around, zone)}>
          Last turn <Ago at={newestAt} /> ago.{' '}
          <button
            type="button"
            className="link text-ink"
            onClick={() =>
              change({
                from: new Date(around - DAY_MS),
                to: new Date(around + 60_000),
                ...(isFiltered && { project: null, runner: null, model: null }),
              })
            }
          >
            Show the day before it
          </button>
        </p>
      )}
    </div>
  );
}
