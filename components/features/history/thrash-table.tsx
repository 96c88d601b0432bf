'use client';
import Link from 'next/link';
import { useState } from 'react';
import type {
  HistoryFigures,
  HistorySession,
  HistorySessionList,
  HistorySessionSort,
} from '@/core/api/history';
import { formatExact } from '../../format/format-tokens';
import { Ago } from '../../ui/ago';
import { Button } from '../../ui/button';
import { FilterSwitch } from '../../ui/filter-bar';
import { CELL, HistoryTable, PeakFigure } from './history-figures';
import { boundaryRhythm, SESSION_SORTS } from './history-words';

interface ThrashTableProps {
  list: HistorySessionList;
  sort: HistorySessionSort;
  changeSort: (sort: HistorySessionSort) => void;
  exportHref: string;
}

const FEW = 12;

interface Column {
  head: string;
  className: string;
  cell: (session: HistorySession) => React.ReactNode;
}

function count(
  head: string,
  figure: Exclude<keyof HistoryFigures, 'peak' | 'cacheShare'>,
  spare = true,
): Column {
  const cell = ({ figures }: HistorySession) => {
    const weight = figures[figure] === 0 ? 'text-ink2' : figure === 'thrashes' ? 'strong' : '';
    return <span className={`num ${weight}`}>{formatExact(figures[figure])}</span>;
  };
  return { head, className: spare ? CELL.spare : CELL.figure, cell };
}

const COLUMNS: readonly Column[] = [
  {
    head: 'reason',
    className: CELL.reason,
    cell: ({ mark, figures }) => mark?.sentence ?? boundaryRhythm(figures),
  },
  count('thrash', 'thrashes', false),
  count('cache storms', 'cacheStorms'),
  count('compactions', 'compactions', false),
  count('restarts', 'restarts'),
  count('turns', 'turns'),
  { head: 'peak', className: CELL.spare, cell: ({ figures }) => <PeakFigure peak={figures.peak} /> },
  {
    head: 'last',
    className: `${CELL.spare} text-ink2`,
    cell: ({ mark }) => (mark === null ? '' : <Ago at={mark.at} />),
  },
];

/** Sessions that reached boundaries, worst first; each row links to its place in the session. */
export function ThrashTable({ list, sort, changeSort, exportHref }: ThrashTableProps) {
  const [showsAll, setShowsAll] = useState(false);
  const { sessions, total } = list;
  const shown = showsAll ? sessions : sessions.slice(0, FEW);
  const thrashing = sessions.some(({ figures }) => figures.thrashes > 0);
  return (
    <section aria-labelledby="thrash-title" className="pt-[26px]">
      <div className="flex flex-wrap items-baseline gap-x-[12px] gap-y-[2px] pb-[4px] text-small">
        <h2 id="thrash-title" className="text-ink2">
          Sessions with boundaries
        </h2>
        {thrashing || sessions.length === 0 ? null : <p className="text-ink2">No thrash in this range</p>}
        <fieldset className="ml-auto flex gap-[14px]">
          <legend className="float-left mr-[14px] leading-[28px] text-ink2">sort by</legend>
          {SESSION_SORTS.map((name) => (
            <FilterSwitch key={name} isOn={sort === name} toggle={() => changeSort(name)}>
              {name}
            </FilterSwitch>
          ))}
        </fieldset>
      </div>
      {sessions.length === 0 ? (
        <p className="border-t border-ink py-[14px] text-ink2">No compactions or restarts in this range</p>
      ) : (
        <HistoryTable>
          <thead>
            <tr>
              <th scope="col" className={CELL.head}>
                session
              </th>
              {COLUMNS.map(({ head, className }) => (
                <th key={head} scope="col" className={`${CELL.head} ${className}`}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((session) => (
              <tr key={session.id} className="hover:bg-sunken">
                <SessionName session={session} />
                {COLUMNS.map(({ head, className, cell }) => (
                  <td key={head} className={`${CELL.body} ${className}`}>
                    {cell(session)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </HistoryTable>
      )}
      {shown.length < sessions.length ? (
        <Button className="mt-[10px]" onClick={() => setShowsAll(true)}>
          Show {formatExact(sessions.length)}
        </Button>
      ) : sessions.length < total ? (
        <p className="pt-[8px] text-small text-ink2">
          First {formatExact(sessions.length)} of {formatExact(total)}; export more:{' '}
          <a className="link text-ink" href={exportHref} download>
            CSV
          </a>
        </p>
      ) : null}
    </section>
  );
}

function SessionName({
  session: { id, title, key, project, model, runner, mark },
}: {
  session: HistorySession;
}) {
  return (
    <th scope="row" className={CELL.name}>
      <Link
        href={`/sessions/${id}${mark === null ? '' : `?event=${encodeURIComponent(mark.event)}`}`}
        prefetch={false}
        className="block max-w-full truncate hover:underline hover:underline-offset-[3px]"
      >
        {title ?? key}
      </Link>
      <span className="block truncate text-small text-ink2">
        {project} · {model ?? 'unknown model'} · {runner}
      </span>
    </th>
  );
}
