'use client';
import { useMemo, useState } from 'react';
import type { History, HistoryGroup } from '@/core/api/history';
import type { HistoryFigure } from '@/core/explain/explain-history';
import type { HistoryGrouping } from '@/core/history/groupings';
import { useNow } from '../../data/use-clock';
import { formatCount, formatExact, formatTokens } from '../../format/format-tokens';
import { Percent } from '../../ui/percent';
import { GroupTrace } from './group-trace';
import { PeakFigure } from './peak-figure';
import { HistoryWhy } from './totals-line';

interface Column {
  id: HistoryFigure;
  head: string;
  draw: (value: number) => React.ReactNode;
  /** Stays on a phone. */
  always?: boolean;
}

const COLUMNS: readonly Column[] = [
  { id: 'peak', head: 'peak', draw: (peak) => <PeakFigure peak={peak} />, always: true },
  { id: 'turns', head: 'turns', draw: exact, always: true },
  { id: 'restarts', head: 'restarts', draw: exact },
  { id: 'compactions', head: 'compactions', draw: exact },
  { id: 'thrashes', head: 'thrash', draw: exact },
  { id: 'input', head: 'input', draw: tokens },
  { id: 'output', head: 'output', draw: tokens },
  { id: 'cacheRead', head: 'cache reads', draw: tokens },
  { id: 'cacheShare', head: 'cache share', draw: (share) => <Percent ratio={share} /> },
];

function exact(count: number) {
  return <span className={count === 0 ? 'num text-ink2' : 'num'}>{formatExact(count)}</span>;
}

function tokens(count: number) {
  return (
    <span className="num" title={formatExact(count)}>
      {formatTokens(count)}
    </span>
  );
}

interface Sort {
  by: HistoryFigure | 'name';
  descending: boolean;
}

/** By name or by a figure; unknown figures sort below all known ones. */
function sortGroups(groups: readonly HistoryGroup[], { by, descending }: Sort): HistoryGroup[] {
  const sign = descending ? -1 : 1;
  return [...groups].sort((a, b) =>
    by === 'name'
      ? sign * (a.name ?? '').localeCompare(b.name ?? '', 'en', { numeric: true })
      : sign * ((a.total[by] ?? -1) - (b.total[by] ?? -1)),
  );
}

interface GroupTableProps {
  history: History;
  by: HistoryGrouping;
  /** Filters by one group. */
  choose: (group: HistoryGroup) => void;
  point: (group: HistoryGroup | null) => void;
}

const MANY = 40;

/** The range by group, each with its trace and figures. */
export function GroupTable({ history, by, choose, point }: GroupTableProps) {
  const [showsAll, setShowsAll] = useState(false);
  const [sort, setSort] = useState<Sort>({ by: 'turns', descending: true });
  const groups = useMemo(() => sortGroups(history.groups, sort), [history.groups, sort]);
  const now = useNow(60_000);
  return (
    <section aria-labelledby="groups-title" className="pt-[22px]">
      <h2 id="groups-title" className="pb-[4px] text-small text-ink2">
        By {by}
      </h2>
      <div className="history-scroll">
        <table className="history-table">
          <thead>
            <tr>
              <SortHead id="name" head={by} sort={sort} setSort={setSort} />
              <th scope="col" className="trace text-ink2">
                peaks
              </th>
              {COLUMNS.map(({ id, head, always }) => (
                <SortHead
                  key={id}
                  id={id}
                  head={head}
                  sort={sort}
                  setSort={setSort}
                  className={always ? 'figure' : 'figure spare'}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {(showsAll ? groups : groups.slice(0, MANY)).map((group) => (
              <tr
                key={`${group.project ?? ''}/${group.name ?? ''}`}
                onPointerEnter={() => point(group)}
                onPointerLeave={() => point(null)}
              >
                <th scope="row">
                  <GroupName group={group} choose={choose} point={point} />
                </th>
                <td className="trace">
                  {group.points === null ? null : (
                    <GroupTrace
                      points={group.points}
                      from={Date.parse(history.from)}
                      to={Date.parse(history.to)}
                      now={now}
                    />
                  )}
                </td>
                <GroupFigures history={history} group={group} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {groups.length > MANY && !showsAll ? (
        <button type="button" className="button mt-[10px]" onClick={() => setShowsAll(true)}>
          Show all of {formatCount(groups.length, by)}
        </button>
      ) : null}
    </section>
  );
}

interface SortHeadProps {
  id: Sort['by'];
  head: string;
  sort: Sort;
  setSort: (sort: Sort) => void;
  className?: string;
}

function SortHead({ id, head, sort, setSort, className = '' }: SortHeadProps) {
  const active = sort.by === id;
  const sorted = active ? (sort.descending ? 'descending' : 'ascending') : 'none';
  return (
    <th scope="col" aria-sort={sorted} className={className}>
      <button
        type="button"
        className={active ? 'text-ink' : 'text-ink2 hover:text-ink'}
        onClick={() => setSort({ by: id, descending: active ? !sort.descending : id !== 'name' })}
      >
        {head}
        <svg width="6" height="4" viewBox="0 0 6 4" className="ml-[4px] inline-block" aria-hidden="true">
          {active ? <path d={sort.descending ? 'M0 0h6L3 4z' : 'M0 4h6L3 0z'} fill="currentColor" /> : null}
        </svg>
      </button>
    </th>
  );
}

interface GroupNameProps extends Pick<GroupTableProps, 'choose' | 'point'> {
  group: HistoryGroup;
}

function GroupName({ group, choose, point }: GroupNameProps) {
  if (group.name === null) return <span className="text-ink2">no name</span>;
  return (
    <button
      type="button"
      className="block max-w-full truncate text-left hover:underline hover:underline-offset-[3px]"
      title={`Filter by ${group.name}`}
      onClick={() => choose(group)}
      onFocus={() => point(group)}
      onBlur={() => point(null)}
    >
      {group.name}
      {group.project === null ? null : <span className="ml-[6px] text-small text-ink2">{group.project}</span>}
    </button>
  );
}

function GroupFigures({ history, group }: { history: History; group: HistoryGroup }) {
  const { from, to } = history;
  const facts = useMemo(
    () => ({
      of: group.name ?? 'sessions without a name',
      from,
      to,
      total: group.total,
      points: group.points,
    }),
    [group, from, to],
  );
  return COLUMNS.map(({ id, draw, always }) => {
    const value = group.total[id];
    return (
      <td key={id} className={always ? 'figure' : 'figure spare'}>
        <HistoryWhy figure={id} facts={facts} name="">
          {value === null ? <span className="text-ink2">–</span> : draw(value)}
        </HistoryWhy>
      </td>
    );
  });
}
