import type { Ref } from 'react';
import { useLostSince } from '../../data/use-live-status';
import type { FleetQuery, SortKey } from '../../sessions/fleet-query';
import { type FilterChoices, FilterSelects } from './filter-line';

/** Classes of the columns that are hidden at some widths. */
export const COLUMN = {
  trace: 'max-[1120px]:hidden',
  used: 'text-right max-[900px]:hidden',
  rate: 'text-right max-[1120px]:hidden',
  count: 'text-right max-[1120px]:hidden',
  event: 'max-[1380px]:hidden',
  age: 'text-right max-[900px]:hidden',
} as const;

const LAST_COLUMNS: readonly [name: string, by: SortKey | undefined, className: string][] = [
  ['used / limit', undefined, COLUMN.used],
  ['tok/min', 'burn', COLUMN.rate],
  ['next boundary', 'boundary', ''],
  ['ctx', 'continuations', COLUMN.count],
  ['last event', undefined, COLUMN.event],
  ['age', 'last', COLUMN.age],
];

interface ListHeadProps {
  query: FleetQuery;
  change: (part: Partial<FleetQuery>) => void;
  choices: FilterChoices;
  /** Sorts the held list; null: the list already has the current order. */
  update: (() => void) | null;
  /** Head of the trace column. The traces are as wide as this head. */
  traceHead: Ref<HTMLDivElement>;
}

export function ListHead({ query, change, choices, update, traceHead }: ListHeadProps) {
  const sort = { query, change };
  const lost = useLostSince();
  return (
    <tr
      aria-rowindex={1}
      className="session-head h-[26px] border-t border-b border-ink border-b-hair2 text-small text-ink2 max-md:hidden"
    >
      <Head className="relative">
        {update === null ? (
          'state'
        ) : (
          <UpdateButton update={update} className="absolute top-[-3px] left-[-7px]" />
        )}
      </Head>
      <Head>
        <span className="sr-only">rank by next boundary</span>
      </Head>
      <Head className="flex min-w-0 gap-[14px]">
        session
        <FilterSelects query={query} change={change} choices={choices} />
      </Head>
      <Head {...sort} by="pressure" className="relative" scale="100">
        pressure, % of limit
      </Head>
      <Head className={COLUMN.trace}>
        <div ref={traceHead} className="num flex justify-between">
          <span>−60 min</span>
          <span>{lost ?? 'now'}</span>
        </div>
      </Head>
      {LAST_COLUMNS.map(([name, by, className]) => (
        <Head key={name} {...sort} by={by} className={className}>
          {name}
        </Head>
      ))}
    </tr>
  );
}

export function UpdateButton({ update, className }: { update: () => void; className: string }) {
  return (
    <button
      type="button"
      className={`h-[22px] rounded-control border border-ink bg-paper px-[6px] text-small whitespace-nowrap text-ink ${className}`}
      title="The order changed while the pointer or the focus was in the list"
      onClick={update}
    >
      Re-sort
    </button>
  );
}

/** Keys that sort the lowest value first. */
const RISING: readonly SortKey[] = ['boundary', 'last'];

interface HeadProps extends Partial<Pick<ListHeadProps, 'query' | 'change'>> {
  /** Sort key of the column; a second press reverses the order. */
  by?: SortKey | undefined;
  className?: string | undefined;
  scale?: string;
  children: React.ReactNode;
}

function Head({ by, query, change, className = '', scale, children }: HeadProps) {
  const isSorted = by !== undefined && query?.sort.by === by;
  const rises = isSorted && RISING.includes(by) !== query?.sort.reversed;
  return (
    <th
      scope="col"
      className={`text-left font-normal whitespace-nowrap ${className}`}
      {...(isSorted ? { 'aria-sort': rises ? 'ascending' : 'descending' } : {})}
    >
      {by === undefined ? (
        children
      ) : (
        <button
          type="button"
          className={`whitespace-nowrap ${isSorted ? 'text-ink' : 'hover:text-ink'}`}
          onClick={() => change?.({ sort: { by, reversed: isSorted && !query?.sort.reversed } })}
        >
          {children}
          {isSorted ? <span aria-hidden="true">{rises ? ' ↑' : ' ↓'}</span> : null}
        </button>
      )}
      {scale === undefined ? null : (
        <span className="num absolute left-[135px]" aria-hidden="true">
          {scale}
        </span>
      )}
    </th>
  );
}
