'use client';
import { useMemo, useState } from 'react';
import type { History, HistoryGroup } from '@/core/api/history';
import type { HistoryFigure } from '@/core/explain/explain-history';
import type { HistoryGrouping } from '@/core/history/groupings';
import { px, stepPath } from '../../charts/trace-path';
import { formatCount, formatExact, formatTokens } from '../../format/format-tokens';
import { AXIS_END } from '../../sessions/fleet-query';
import { Button } from '../../ui/button';
import { Percent } from '../../ui/percent';
import { CELL, COLUMNS, HistoryTable, HistoryWhy, PeakFigure } from './history-figures';
import { type StepRow, slotsOf, traceOf } from './prepare-history';

interface GroupTableProps {
  history: History;
  by: HistoryGrouping;
  /** The server's time, milliseconds. */
  now: number;
  /** Filters by one group. */
  choose: (group: HistoryGroup) => void;
}

interface Sort {
  by: HistoryFigure | 'name';
  descending: boolean;
}

/** By name or by a figure; unknown figures sort below all known ones. */
function sortGroups(groups: readonly HistoryGroup[], { by, descending }: Sort): HistoryGroup[] {
  const sign = descending ? -1 : 1;
  return groups.toSorted((a, b) =>
    by === 'name'
      ? sign * (a.name ?? '').localeCompare(b.name ?? '', 'en', { numeric: true })
      : sign * ((a.total[by] ?? -1) - (b.total[by] ?? -1)),
  );
}

const MANY = 40;
const classOf = (index: number) => (index < 2 ? CELL.figure : CELL.spare);

/** The range by group, each with its trace and figures. */
export function GroupTable({ history, by, now, choose }: GroupTableProps) {
  const [showsAll, setShowsAll] = useState(false);
  const [sort, setSort] = useState<Sort>({ by: 'turns', descending: true });
  const groups = useMemo(() => sortGroups(history.groups, sort), [history.groups, sort]);
  return (
    <section aria-labelledby="groups-title" className="pt-[22px]">
      <h2 id="groups-title" className="pb-[4px] text-small text-ink2">
        By {by}
      </h2>
      <HistoryTable>
        <thead>
          <tr>
            <SortHead id="name" head={by} sort={sort} setSort={setSort} />
            <th scope="col" className={`${CELL.head} ${CELL.trace}`}>
              peaks
            </th>
            {COLUMNS.map(([id, head], index) => (
              <SortHead
                key={id}
                id={id}
                head={head}
                sort={sort}
                setSort={setSort}
                className={classOf(index)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {(showsAll ? groups : groups.slice(0, MANY)).map((group) => (
            <tr className="hover:bg-sunken" key={`${group.project ?? ''}/${group.name ?? ''}`}>
              <th scope="row" className={CELL.name}>
                <GroupName group={group} choose={choose} />
              </th>
              <td className={`${CELL.body} ${CELL.trace}`}>
                <GroupTrace history={history} group={group} now={now} />
              </td>
              <GroupFigures history={history} group={group} />
            </tr>
          ))}
        </tbody>
      </HistoryTable>
      {groups.length > MANY && !showsAll ? (
        <Button className="mt-[10px]" onClick={() => setShowsAll(true)}>
          Show all of {formatCount(groups.length, by)}
        </Button>
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
    <th scope="col" aria-sort={sorted} className={`${CELL.head} ${className}`}>
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

function GroupFigures({ history: { from, to }, group }: { history: History; group: HistoryGroup }) {
  const { name, total, points } = group;
  const facts = useMemo(
    () => ({ of: name ?? 'sessions without a name', from, to, total, points }),
    [name, from, to, total, points],
  );
  return COLUMNS.map(([id], index) => {
    const value = total[id];
    return (
      <td key={id} className={`${CELL.body} ${classOf(index)}`}>
        <HistoryWhy figure={id} facts={facts} name="">
          {value === null ? <span className="text-ink2">–</span> : drawFigure(id, value)}
        </HistoryWhy>
      </td>
    );
  });
}

function drawFigure(id: HistoryFigure, value: number) {
  switch (id) {
    case 'peak':
      return <PeakFigure peak={value} />;
    case 'cacheShare':
      return <Percent ratio={value} />;
    case 'input':
    case 'output':
    case 'cacheRead':
      return (
        <span className="num" title={formatExact(value)}>
          {formatTokens(value)}
        </span>
      );
    default:
      return <span className={value === 0 ? 'num text-ink2' : 'num'}>{formatExact(value)}</span>;
  }
}

const WIDTH = 200;
const HEIGHT = 24;
/** Notches stand above the plot. */
const TOP = 3;

/** Peaks of one group over the range, on the one pressure axis, with a notch where it met boundaries. */
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
  const notches = slots.map((slot) =>
    slot.point.compactions + slot.point.restarts > 0 ? `M${x(slot.from)} ${-TOP}v2.5` : '',
  );
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
