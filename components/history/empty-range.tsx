'use client';
import Link from 'next/link';
import { formatInstant } from '../format/format-time';
import { Ago } from '../ui/ago';
import type { ChangeHistoryUrl } from './use-history-url';

interface EmptyRangeProps {
  newestAt: string | null;
  isFiltered: boolean;
  change: ChangeHistoryUrl;
  zone: string;
}

const DAY_MS = 86_400_000;

/** Nothing happened: what there is instead, and how to get there. */
export function EmptyRange({ newestAt, isFiltered, change, zone }: EmptyRangeProps) {
  const around = newestAt === null ? null : Date.parse(newestAt);
  return (
    <div
      role="status"
      className="absolute top-[90px] left-[44px] max-w-[52ch] bg-paper py-[6px] pr-[12px] pl-[10px]"
    >
      <p>Nothing was recorded in this range{isFiltered ? ' for what is chosen' : ''}.</p>
      {around === null || newestAt === null ? (
        <p className="pt-[4px] text-ink2">
          No turn has come yet.{' '}
          <Link href="/connect" className="link text-ink">
            Connect a runner
          </Link>
          , and history begins with its first turn.
        </p>
      ) : (
        <p className="pt-[4px] text-ink2" title={formatInstant(around, zone)}>
          The newest turn came <Ago at={newestAt} /> ago.{' '}
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
