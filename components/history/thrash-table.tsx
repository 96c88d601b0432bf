'use client';
import Link from 'next/link';
import type { HistorySession, HistorySessionList, HistorySessionSort } from '@/core/api/history';
import { formatCount, formatExact } from '../format/format-tokens';
import { Ago } from '../ui/ago';
import { SESSION_SORTS } from './history-words';
import { PeakFigure } from './peak-figure';
import { sessionPlace } from './session-place';

interface ThrashTableProps {
  list: HistorySessionList;
  sort: HistorySessionSort;
  changeSort: (sort: HistorySessionSort) => void;
}

const SORT_NAMES = { thrash: 'thrash', compactions: 'compactions', restarts: 'restarts' } as const;

/** Sessions that met boundaries in the range, those that thrash first; each row leads to its place in the session. */
export function ThrashTable({ list, sort, changeSort }: ThrashTableProps) {
  const { sessions, total } = list;
  return (
    <section aria-labelledby="thrash-title" className="pt-[26px]">
      <div className="flex flex-wrap items-baseline gap-x-[16px] pb-[4px]">
        <h2 id="thrash-title" className="text-small text-ink2">
          Sessions that met boundaries
        </h2>
        {sessions.length < total ? (
          <p className="text-small text-ink2">
            the first {formatExact(sessions.length)} of {formatExact(total)}
          </p>
        ) : null}
        <fieldset className="ml-auto flex gap-[14px] text-small">
          <legend className="float-left mr-[14px] text-ink2">first by</legend>
          {SESSION_SORTS.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={sort === name}
              className={
                sort === name
                  ? 'underline decoration-[1.5px] underline-offset-[5px]'
                  : 'text-ink2 hover:text-ink'
              }
              onClick={() => changeSort(name)}
            >
              {SORT_NAMES[name]}
            </button>
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
                {[
                  'session',
                  'what to look at',
                  'thrash',
                  'compactions',
                  'per 100 turns',
                  'restarts',
                  'turns',
                  'peak',
                  'last',
                ].map((name, index) => (
                  <th key={name} scope="col" className={index < 2 ? (index === 1 ? 'reason' : '') : 'figure'}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {sessions.map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
            </tbody>
          </table>
        </div>
      )}
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
      <td className="reason">{mark === null ? null : (mark.sentence ?? lastWord(mark.kind))}</td>
      <td className="figure">
        <Count count={figures.thrashes} strong />
      </td>
      <td className="figure">
        <Count count={figures.compactions} />
      </td>
      <td className="figure num">
        {figures.turns === 0 || figures.compactions === 0
          ? '–'
          : ((figures.compactions / figures.turns) * 100).toFixed(1)}
      </td>
      <td className="figure">
        <Count count={figures.restarts} />
      </td>
      <td className="figure" title={formatCount(figures.turns, 'turn')}>
        <Count count={figures.turns} />
      </td>
      <td className="figure">
        <PeakFigure peak={figures.peak} />
      </td>
      <td className="figure text-ink2">{mark === null ? '' : <Ago at={mark.at} />}</td>
    </tr>
  );
}

function lastWord(kind: NonNullable<HistorySession['mark']>['kind']): string {
  return kind === 'restart' ? 'Its last restart.' : 'Its last compaction.';
}

function Count({ count, strong = false }: { count: number; strong?: boolean }) {
  return (
    <span className={`num ${count === 0 ? 'text-ink2' : strong ? 'strong' : ''}`}>{formatExact(count)}</span>
  );
}
