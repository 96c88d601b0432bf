'use client';
import { useTable } from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import type { History, HistoryGroup } from '@/core/api/history';
import type { HistoryGrouping } from '@/core/history/groupings';
import { formatCount } from '../format/format-tokens';
import { useNow } from '../live/use-clock';
import { GROUP_COLUMNS, GROUP_FEATURES } from './group-columns';
import { GroupTrace } from './group-trace';
import { HistoryWhy, isHistoryFigure } from './history-why';

interface GroupTableProps {
  history: History;
  by: HistoryGrouping;
  /** Shows one group alone. */
  choose: (group: HistoryGroup) => void;
  point: (group: HistoryGroup | null) => void;
}

const MANY = 40;
const MINUTE_MS = 60_000;
const SORT_WORDS = { asc: 'ascending', desc: 'descending', false: 'none' } as const;

/** The range, group by group: each with its trace and figures. A name leads to that group alone. */
export function GroupTable({ history, by, choose, point }: GroupTableProps) {
  const [showsAll, setShowsAll] = useState(false);
  const table = useTable({
    features: GROUP_FEATURES,
    columns: GROUP_COLUMNS,
    data: history.groups,
    getRowId: (group) => `${group.project ?? ''}/${group.name ?? ''}`,
    initialState: { sorting: [{ id: 'turns', desc: true }] },
    enableSortingRemoval: false,
  });
  const now = useNow(MINUTE_MS);
  const from = Date.parse(history.from);
  const to = Date.parse(history.to);
  const { rows } = table.getRowModel();
  const shown = showsAll ? rows : rows.slice(0, MANY);
  const headers = table.getHeaderGroups()[0]?.headers ?? [];
  return (
    <section aria-labelledby="groups-title" className="pt-[22px]">
      <h2 id="groups-title" className="pb-[4px] text-small text-ink2">
        By {by}
      </h2>
      <div className="history-scroll">
        <table className="history-table">
          <thead>
            <tr>
              {headers.map((header, index) => {
                const sorted = header.column.getIsSorted();
                return [
                  <th
                    key={header.id}
                    scope="col"
                    aria-sort={SORT_WORDS[String(sorted) as keyof typeof SORT_WORDS]}
                    className={figureClass(header.column.id, index)}
                  >
                    <button
                      type="button"
                      className={sorted === false ? 'text-ink2 hover:text-ink' : 'text-ink'}
                      onClick={header.column.getToggleSortingHandler()}
                    >
                      {index === 0 ? by : <table.FlexRender header={header} />}
                      <SortMark sorted={sorted} />
                    </button>
                  </th>,
                  index === 0 ? (
                    <th key="trace" scope="col" className="trace text-ink2">
                      peaks over the range
                    </th>
                  ) : null,
                ];
              })}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.id} onPointerEnter={() => point(row.original)} onPointerLeave={() => point(null)}>
                <th scope="row">
                  <GroupName group={row.original} choose={choose} point={point} />
                </th>
                <td className="trace">
                  {row.original.points === null ? null : (
                    <GroupTrace points={row.original.points} from={from} to={to} now={now} />
                  )}
                </td>
                {row.getAllCells().map((cell, index) =>
                  index === 0 ? null : (
                    <td key={cell.id} className={figureClass(cell.column.id, index)}>
                      <GroupFigure history={history} group={row.original} id={cell.column.id}>
                        <table.FlexRender cell={cell} />
                      </GroupFigure>
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > MANY && !showsAll ? (
        <button type="button" className="button mt-[10px]" onClick={() => setShowsAll(true)}>
          Show all of {formatCount(rows.length, by)}
        </button>
      ) : null}
    </section>
  );
}

/** On a phone the first figures stay. */
const KEPT = new Set(['name', 'peak', 'turns']);

function figureClass(id: string, index: number): string {
  return `${index === 0 ? '' : 'figure'} ${KEPT.has(id) ? '' : 'spare'}`;
}

interface GroupNameProps extends Pick<GroupTableProps, 'choose' | 'point'> {
  group: HistoryGroup;
}

function GroupName({ group, choose, point }: GroupNameProps) {
  if (group.name === null) return <span className="text-ink2">not named</span>;
  return (
    <button
      type="button"
      className="block max-w-full truncate text-left hover:underline hover:underline-offset-[3px]"
      title={`Show ${group.name} alone`}
      onClick={() => choose(group)}
      onFocus={() => point(group)}
      onBlur={() => point(null)}
    >
      {group.name}
      {group.project === null ? null : <span className="ml-[6px] text-small text-ink2">{group.project}</span>}
    </button>
  );
}

interface GroupFigureProps {
  history: History;
  group: HistoryGroup;
  /** Of the column. */
  id: string;
  children: React.ReactNode;
}

/** A figure of a group, which answers "why?" as the total does. */
function GroupFigure({ history, group, id, children }: GroupFigureProps) {
  const { from, to } = history;
  const facts = useMemo(
    () => ({ of: group.name ?? 'what named none', from, to, total: group.total, points: group.points }),
    [group, from, to],
  );
  if (!isHistoryFigure(id)) return children;
  return (
    <HistoryWhy figure={id} facts={facts} name="">
      {children}
    </HistoryWhy>
  );
}

function SortMark({ sorted }: { sorted: false | 'asc' | 'desc' }) {
  return (
    <svg width="6" height="4" viewBox="0 0 6 4" className="ml-[4px] inline-block" aria-hidden="true">
      {sorted === false ? null : (
        <path d={sorted === 'desc' ? 'M0 0h6L3 4z' : 'M0 4h6L3 0z'} fill="currentColor" />
      )}
    </svg>
  );
}
