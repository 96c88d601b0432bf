'use client';
import { useEffect, useRef } from 'react';
import { useNow } from '../../../data/use-clock';
import { useTimeZone } from '../../../data/use-time-zone';
import { useRowKeys } from '../../../ui/use-row-keys';
import { TranscriptListRow } from './transcript-list-row';
import type { TranscriptSort, TranscriptsQuery } from './transcripts-query';
import type { ListedTranscript } from './use-transcripts';

interface TranscriptTableProps {
  rows: readonly ListedTranscript[];
  total: number;
  hasMore: boolean;
  query: TranscriptsQuery;
  sort: (by: TranscriptSort, order: 'asc' | 'desc') => void;
  isBusy: boolean;
  /** Load more rows; null: not now. */
  more: (() => void) | null;
}

/** Columns with their sort key; null: not sortable. */
const COLUMNS: ReadonlyArray<readonly [id: string, name: string, sort: TranscriptSort | null]> = [
  ['state', 'state', null],
  ['session', 'session', 'session'],
  ['copy', 'copy', null],
  ['trigger', 'trigger', null],
  ['when', 'when', 'at'],
  ['size', 'size', 'bytes'],
  ['messages', 'messages', 'messages'],
];
const SORT_WORDS = { asc: 'ascending', desc: 'descending' } as const;

/** Transcripts as rows; each links to its conversation, hits to their place in it. */
export function TranscriptTable({ rows, total, hasMore, query, sort, isBusy, more }: TranscriptTableProps) {
  const zone = useTimeZone();
  const now = useNow(60_000);
  const list = useRef<HTMLTableElement>(null);
  const longest = rows.reduce((most, { bytes }) => Math.max(most, bytes ?? 0), 1);
  useRowKeys({ list, count: rows.length, scrollTo: () => undefined });
  return (
    <>
      <table
        ref={list}
        aria-label="Transcripts"
        aria-busy={isBusy}
        aria-rowcount={total + 1}
        className="sheets block"
      >
        <thead className="sticky top-0 z-10 block bg-paper">
          <tr className="sheets-head h-[26px] border-t border-b border-t-ink border-b-hair2 text-small text-ink2">
            {COLUMNS.map(([id, name, by]) => {
              const isSorted = by !== null && query.sort === by;
              const next = isSorted && query.order === 'desc' ? 'asc' : 'desc';
              return (
                <th
                  key={id}
                  scope="col"
                  className={`c-${id}`}
                  {...(isSorted ? { 'aria-sort': SORT_WORDS[query.order] } : {})}
                >
                  {by === null ? (
                    name
                  ) : (
                    <button
                      type="button"
                      className={isSorted ? 'text-ink' : 'hover:text-ink'}
                      onClick={() => sort(by, next)}
                    >
                      {name}
                      <SortMark order={isSorted ? query.order : null} />
                    </button>
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody className="block">
          {rows.map((row, index) => (
            <TranscriptListRow
              key={row.id}
              row={row}
              index={index}
              words={query.q}
              zone={zone}
              now={now}
              longest={longest}
            />
          ))}
        </tbody>
      </table>
      <End hasMore={hasMore} more={more} />
    </>
  );
}

/** The end of the loaded rows; more are loaded when it comes into view. */
function End({ hasMore, more }: { hasMore: boolean; more: (() => void) | null }) {
  const end = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const place = end.current;
    if (more === null || !hasMore || place === null) return;
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) more();
      },
      { rootMargin: '800px' },
    );
    watcher.observe(place);
    return () => watcher.disconnect();
  }, [more, hasMore]);
  return (
    <p ref={end} className="min-h-[48px] py-[14px] text-small text-ink2">
      {hasMore ? 'Loading more' : ''}
    </p>
  );
}

function SortMark({ order }: { order: 'asc' | 'desc' | null }) {
  return (
    <svg width="6" height="4" viewBox="0 0 6 4" className="ml-[4px] inline-block" aria-hidden="true">
      {order === null ? null : (
        <path d={order === 'desc' ? 'M0 0h6L3 4z' : 'M0 4h6L3 0z'} fill="currentColor" />
      )}
    </svg>
  );
}
