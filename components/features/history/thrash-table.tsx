'use client';
import Link from 'next/link';
import { useState } from 'react';
import type { HistorySession, HistorySessionList, HistorySessionSort } from '@/core/api/history';
import { formatExact } from '../../format/format-tokens';
import { Ago } from '../../ui/ago';
import { FilterSwitch } from '../../ui/filter-bar';
import { boundaryRhythm, SESSION_SORTS } from './history-words';
import { PeakFigure } from './peak-figure';

interface ThrashTableProps {
  list: HistorySessionList;
  sort: HistorySessionSort;
  changeSort: (sort: HistorySessionSort) => void;
  exportHref: string;
}

const FEW = 12;
const MOST_EXPORTED = 500;

const HEADS = [
  ['session', ''],
  ['reason', 'reason'],
  ['thrash', 'figure'],
  ['cache storms', 'figure spare'],
  ['compactions', 'figure'],
  ['restarts', 'figure spare'],
  ['turns', 'figure spare'],
  ['peak', 'figure spare'],
  ['last', 'figure spare'],
] as const;

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
        <div className="history-scroll">
          <table className="history-table">
            <thead>
              <tr>
                {HEADS.map(([name, kind]) => (
                  <th key={name} scope="col" className={kind}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown.length < sessions.length ? (
        <button type="button" className="button mt-[10px]" onClick={() => setShowsAll(true)}>
          Show {formatExact(sessions.length)}
        </button>
      ) : sessions.length < total ? (
        <p className="pt-[8px] text-small text-ink2">
          First {formatExact(sessions.length)} of {formatExact(total)}; export{' '}
          {total > MOST_EXPORTED ? formatExact(MOST_EXPORTED) : 'all'}:{' '}
          <a className="link text-ink" href={exportHref} download>
            CSV
          </a>
        </p>
      ) : null}
    </section>
  );
}

/** Shown around the event, milliseconds. */
const AROUND_MS = 45 * 60_000;

/** The session's page around the event of a row, with the event open. */
export function sessionPlace({ id, mark }: Pick<HistorySession, 'id' | 'mark'>): string {
  const page = `/sessions/${encodeURIComponent(id)}`;
  if (mark === null) return page;
  const at = Date.parse(mark.at);
  const params = new URLSearchParams({
    from: new Date(at - AROUND_MS).toISOString(),
    to: new Date(at + AROUND_MS).toISOString(),
    event: mark.event,
  });
  return `${page}?${params}`;
}

function SessionRow({ session }: { session: HistorySession }) {
  const { figures, mark } = session;
  return (
    <tr>
      <th scope="row">
        <Link
          href={sessionPlace(session)}
          prefetch={false}
          className="block max-w-full truncate hover:underline hover:underline-offset-[3px]"
        >
          {session.title ?? session.key}
        </Link>
        <span className="block truncate text-small text-ink2">
          {session.project} · {session.model ?? 'unknown model'} · {session.runner}
        </span>
      </th>
      <td className="reason">{mark?.sentence ?? boundaryRhythm(figures)}</td>
      <td className="figure">
        <Count count={figures.thrashes} strong />
      </td>
      <td className="figure spare">
        <Count count={figures.cacheStorms} />
      </td>
      <td className="figure">
        <Count count={figures.compactions} />
      </td>
      <td className="figure spare">
        <Count count={figures.restarts} />
      </td>
      <td className="figure spare">
        <Count count={figures.turns} />
      </td>
      <td className="figure spare">
        <PeakFigure peak={figures.peak} />
      </td>
      <td className="figure spare text-ink2">{mark === null ? '' : <Ago at={mark.at} />}</td>
    </tr>
  );
}

function Count({ count, strong = false }: { count: number; strong?: boolean }) {
  return (
    <span className={`num ${count === 0 ? 'text-ink2' : strong ? 'strong' : ''}`}>{formatExact(count)}</span>
  );
}
