'use client';
import { useRef } from 'react';
import { useNow } from '../../../data/use-clock';
import { useTimeZone } from '../../../data/use-time-zone';
import { SortButton } from '../../../ui/data-table';
import { useRowKeys } from '../../../ui/use-row-keys';
import { TranscriptListRow } from './transcript-list-row';
import type { ListedTranscript, TranscriptsQuery } from './transcripts-query';

type Sort = TranscriptsQuery['sort'];

interface TranscriptTableProps {
  rows: readonly ListedTranscript[];
  total: number;
  query: TranscriptsQuery;
  sort: (by: Sort, order: 'asc' | 'desc') => void;
  isBusy: boolean;
}

/** The sort mark is in the gap between columns, so that heads and figures line up. */
const RIGHT = 'text-right [&_svg]:-mr-[10px]';
const COLUMNS: ReadonlyArray<{ name: string; by?: Sort; look: string }> = [
  { name: 'state', look: 'text-left max-[720px]:hidden' },
  { name: 'session', by: 'session', look: 'text-left' },
  { name: 'copy', look: 'text-left max-[720px]:hidden' },
  { name: 'trigger', look: 'text-left max-lg:hidden' },
  { name: 'when', by: 'at', look: RIGHT },
  { name: 'size', by: 'bytes', look: RIGHT },
  { name: 'messages', by: 'messages', look: `max-lg:hidden ${RIGHT}` },
];

export function TranscriptTable({ rows, total, query, sort, isBusy }: TranscriptTableProps) {
  const zone = useTimeZone();
  const now = useNow(60_000);
  const list = useRef<HTMLTableElement>(null);
  const longest = rows.reduce((most, { bytes }) => Math.max(most, bytes ?? 0), 1);
  useRowKeys({ list, count: rows.length, scrollTo: () => undefined });
  return (
    <table
      ref={list}
      aria-label="Transcripts"
      aria-busy={isBusy}
      aria-rowcount={total + 1}
      className="sheets block [--columns:92px_minmax(0,1fr)_minmax(0,1.1fr)_56px_92px_72px_76px] max-lg:[--columns:92px_minmax(0,1fr)_minmax(0,1fr)_84px_64px] min-[1680px]:[--columns:104px_minmax(0,1fr)_minmax(0,1.1fr)_72px_120px_96px_96px]"
    >
      <thead className="sticky top-0 z-10 block bg-paper">
        <tr className="grid h-[26px] grid-cols-(--columns) items-center gap-x-[18px] border-t border-b border-t-ink border-b-hair2 text-small text-ink2 max-[720px]:flex max-[720px]:h-[30px]">
          {COLUMNS.map(({ name, by, look }) => {
            const sorted = query.sort === by ? (`${query.order}ending` as const) : 'none';
            return (
              <th
                key={name}
                scope="col"
                className={`font-normal whitespace-nowrap ${look}`}
                {...(by && { 'aria-sort': sorted })}
              >
                {by === undefined ? (
                  name
                ) : (
                  <SortButton
                    head={name}
                    sorted={sorted}
                    press={() => sort(by, sorted === 'descending' ? 'asc' : 'desc')}
                  />
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
            words={query.q.trim()}
            zone={zone}
            now={now}
            longest={longest}
          />
        ))}
      </tbody>
    </table>
  );
}
