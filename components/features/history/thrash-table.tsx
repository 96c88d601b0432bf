'use client';
import Link from 'next/link';
import type { HistorySession, HistorySessionList, HistorySessionSort } from '@/core/api/history';
import type { HistoryFigure } from '@/core/explain/explain-history';
import { formatExact } from '../../format/format-tokens';
import { Ago } from '../../ui/ago';
import { FilterSwitch } from '../../ui/filter-bar';
import { CELL, Figure, type HistoryColumn, HistoryTable } from './history-figures';
import { boundaryRhythm, SESSION_SORTS } from './history-words';

interface ThrashTableProps {
  list: HistorySessionList;
  sort: HistorySessionSort;
  changeSort: (sort: HistorySessionSort) => void;
  exportHref: string;
}

const figure = (id: HistoryFigure, head: string = id, className = CELL.spare) => ({
  id,
  head,
  className,
  cell: ({ figures }: HistorySession) => (
    <span className={id === 'thrashes' && figures.thrashes > 0 ? 'strong' : ''}>
      <Figure id={id} value={figures[id]} />
    </span>
  ),
});

const COLUMNS: readonly HistoryColumn<HistorySession>[] = [
  { id: 'session', head: 'session', cell: (session) => <SessionName session={session} /> },
  {
    id: 'reason',
    head: 'reason',
    className: CELL.reason,
    cell: ({ mark, figures }) => mark?.sentence ?? boundaryRhythm(figures),
  },
  figure('thrashes', 'thrash', CELL.figure),
  figure('cacheStorms', 'cache storms'),
  figure('compactions', 'compactions', CELL.figure),
  figure('restarts'),
  figure('turns'),
  figure('peak'),
  {
    id: 'last',
    head: 'last',
    className: `${CELL.spare} text-ink2`,
    cell: ({ mark }) => (mark === null ? '' : <Ago at={mark.at} />),
  },
];

/** Sessions that reached boundaries, worst first; each row links to its place in the session. */
export function ThrashTable({ list: { sessions, total }, sort, changeSort, exportHref }: ThrashTableProps) {
  const isThrashing = sessions.some(({ figures }) => figures.thrashes > 0);
  return (
    <section aria-labelledby="thrash-title" className="pt-[26px]">
      <div className="flex flex-wrap items-baseline gap-x-[12px] gap-y-[2px] pb-[4px] text-small">
        <h2 id="thrash-title" className="text-ink2">
          Sessions with boundaries
        </h2>
        {isThrashing || sessions.length === 0 ? null : <p className="text-ink2">No thrash in this range</p>}
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
        <HistoryTable columns={COLUMNS} rows={sessions} keyOf={({ id }) => id} first={12} />
      )}
      {sessions.length < total ? (
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

function SessionName({ session }: { session: HistorySession }) {
  const { id, title, key, project, model, runner, mark } = session;
  return (
    <>
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
    </>
  );
}
