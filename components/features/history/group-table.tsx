'use client';
import { useMemo, useState } from 'react';
import type { History, HistoryGroup } from '@/core/api/history';
import type { HistoryFigure } from '@/core/explain/explain-history';
import type { HistoryGrouping } from '@/core/history/groupings';
import { px, stepPath } from '../../charts/trace-path';
import { AXIS_END } from '../../sessions/fleet-query';
import { SortButton } from '../../ui/data-table';
import { CELL, FIGURES, Figure, type HistoryColumn, HistoryTable, HistoryWhy } from './history-figures';
import { type StepRow, slotsOf, traceOf } from './prepare-history';

interface GroupTableProps {
  history: History;
  by: HistoryGrouping;
  /** The server's time, milliseconds. */
  now: number;
  choose: (group: HistoryGroup) => void;
}

interface Sort {
  by: HistoryFigure | 'name';
  order: 'ascending' | 'descending';
}

/** Sort by name or by a figure. Unknown figures are lower than all known figures. */
function sortGroups(groups: readonly HistoryGroup[], { by, order }: Sort): HistoryGroup[] {
  const sign = order === 'descending' ? -1 : 1;
  return groups.toSorted((a, b) =>
    by === 'name'
      ? sign * (a.name ?? '').localeCompare(b.name ?? '', 'en', { numeric: true })
      : sign * ((a.total[by] ?? -1) - (b.total[by] ?? -1)),
  );
}

export function GroupTable({ history, by, now, choose }: GroupTableProps) {
  const [sort, setSort] = useState<Sort>({ by: 'turns', order: 'descending' });
  const rows = useMemo(
    () =>
      sortGroups(history.groups, sort).map((group) => {
        const { from, to } = history;
        return { ...group, of: group.name ?? 'sessions without a name', from, to };
      }),
    [history, sort],
  );
  const sortable = (id: Sort['by'], head: string): Omit<HistoryColumn<never>, 'cell'> => {
    const sorted = sort.by === id ? sort.order : 'none';
    const first = id === 'name' ? 'ascending' : 'descending';
    const other = sorted === 'descending' ? 'ascending' : 'descending';
    const setOrder = () => setSort({ by: id, order: sorted === 'none' ? first : other });
    return { id, sorted, head: <SortButton head={head} sorted={sorted} press={setOrder} /> };
  };
  const columns: HistoryColumn<(typeof rows)[number]>[] = [
    { ...sortable('name', by), cell: (group) => <GroupName group={group} choose={choose} /> },
    {
      id: 'trace',
      head: 'peaks',
      className: CELL.trace,
      cell: (group) => <GroupTrace history={history} group={group} now={now} />,
    },
    ...FIGURES.map(([id, head], index) => ({
      ...sortable(id, head),
      className: index < 2 ? CELL.figure : CELL.spare,
      cell: (group: (typeof rows)[number]) => (
        <HistoryWhy figure={id} facts={group}>
          <Figure id={id} value={group.total[id]} />
        </HistoryWhy>
      ),
    })),
  ];
  return (
    <section aria-labelledby="groups-title" className="pt-[22px]">
      <h2 id="groups-title" className="pb-[4px] text-small text-ink2">
        By {by}
      </h2>
      <HistoryTable
        columns={columns}
        rows={rows}
        keyOf={({ project, name }) => `${project ?? ''}/${name ?? ''}`}
        first={40}
      />
    </section>
  );
}

function GroupName({ group, choose }: { group: HistoryGroup } & Pick<GroupTableProps, 'choose'>) {
  const { name, project } = group;
  if (name === null) return <span className="text-ink2">no name</span>;
  return (
    <button
      type="button"
      className="block max-w-full truncate text-left hover:underline hover:underline-offset-[3px]"
      title={`Filter by ${name}`}
      onClick={() => choose(group)}
    >
      {name}
      {project === null ? null : <span className="ml-[6px] text-small text-ink2">{project}</span>}
    </button>
  );
}

const WIDTH = 200;
const HEIGHT = 24;
/** Room for the notches above the plot. */
const TOP = 3;

/** Peaks of one group over the range on the pressure axis, with a notch at each bucket with boundaries. */
function GroupTrace({ history, group, now }: { history: History; group: HistoryGroup; now: number }) {
  if (group.points === null) return null;
  const from = Date.parse(history.from);
  const x = (at: number) => px(((at - from) / (Date.parse(history.to) - from)) * WIDTH);
  const y = (peak: number) => px(HEIGHT - Math.min(1, (peak * 100) / AXIS_END) * HEIGHT);
  const slots = slotsOf(group.points, now);
  const { rows, soFar } = traceOf(
    slots,
    ({ peak }) => peak,
    () => 0,
  );
  const pathOf = (steps: readonly StepRow[]) =>
    stepPath(steps.map((row) => ({ x: x(row.x), y: row.y === null ? null : y(row.y) })));
  const notches = slots
    .filter(({ point }) => point.compactions + point.restarts > 0)
    .map((slot) => `M${x(slot.from)} ${-TOP}v2.5`);
  return (
    <svg
      viewBox={`0 ${-TOP} ${WIDTH} ${HEIGHT + TOP + 1}`}
      preserveAspectRatio="none"
      fill="none"
      className="block h-[28px] w-full *:[vector-effect:non-scaling-stroke]"
      aria-hidden="true"
    >
      <path d={`M0 ${y(1)}H${WIDTH}`} stroke="var(--hair2)" />
      <path d={`M0 ${HEIGHT + 0.5}H${WIDTH}`} stroke="var(--hair)" />
      <path d={notches.join('')} stroke="var(--ink2)" />
      <path d={pathOf(rows)} stroke="var(--ink)" strokeWidth="1.25" />
      <path d={pathOf(soFar)} stroke="var(--ink2)" strokeWidth="1.25" strokeDasharray="2 2" />
    </svg>
  );
}
