'use client';
import Link from 'next/link';
import { useState } from 'react';
import type { HistorySession, HistorySessionList, HistorySessionSort } from '@/core/api/history';
import { formatExact } from '../format/format-tokens';
import { Ago } from '../ui/ago';
import { Choice } from './choice';
import { boundaryRhythm, SESSION_SORTS } from './history-words';
import { PeakFigure } from './peak-figure';
import { sessionPlace } from './session-place';

interface ThrashTableProps {
  list: HistorySessionList;
  sort: HistorySessionSort;
  changeSort: (sort: HistorySessionSort) => void;
  /** All of them as a file. */
  exportHref: string;
}

const SORT_NAMES = { thrash: 'thrash', compactions: 'compactions', restarts: 'restarts' } as const;
const FEW = 12;
const MOST_EXPORTED = 500;

const HEADS = [
  ['session', ''],
  ['what to look at', 'reason'],
  ['thrash', 'figure'],
  ['cache storms', 'figure spare'],
  ['compactions', 'figure'],
  ['restarts', 'figure spare'],
  ['turns', 'figure spare'],
  ['peak', 'figure spare'],
  ['last', 'figure spare'],
] as const;

/** Which sessions thrash: those that met boundaries, the worst first; each row leads to its place in the session. */
export function ThrashTable({ list, sort, changeSort, exportHref }: ThrashTableProps) {
  const [showsAll, setShowsAll] = useState(false);
  const { sessions, total } = list;
  const shown = showsAll ? sessions : sessions.slice(0, FEW);
  const thrashing = sessions.some(({ figures }) => figures.thrashes > 0);
  return (
    <section aria-labelledby="thrash-title" className="pt-[26px]">
      <div className="flex flex-wrap items-baseline gap-x-[12px] gap-y-[2px] pb-[4px] text-small">
        <h2 id="thrash-title" className="text-ink2">
          Which sessions thrash
        </h2>
        {thrashing || sessions.length === 0 ? null : (
          <p className="text-ink2">None in this range. These met the most boundaries.</p>
        )}
        <fieldset className="ml-auto flex gap-[14px]">
          <legend className="float-left mr-[14px] text-ink2">first by</legend>
          {SESSION_SORTS.map((name) => (
            <Choice key={name} on={sort === name} onChoose={() => changeSort(name)}>
              {SORT_NAMES[name]}
            </Choice>
          ))}
        </fieldset>
      </div>
      {sessions.length === 0 ? (
        <p className="border-t border-ink py-[14px] text-ink2">
          No session was compacted or restarted in this range.
        </p>
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
          The first {formatExact(sessions.length)} of {formatExact(total)}; the export has{' '}
          {total > MOST_EXPORTED ? `${formatExact(MOST_EXPORTED)} of them` : 'all'}:{' '}
          <a className="link text-ink" href={exportHref} download>
            CSV
          </a>
        </p>
      ) : null}
    </section>
  );
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
          {session.project} · {session.model ?? 'model not named'} · {session.runner}
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
