import type { Ref } from 'react';
import { useLostSince } from '../../data/use-axis-time';
import type { FleetQuery, SortKey } from '../../sessions/fleet-query';
import type { FilterChoices } from './filter-choices';
import { FilterSelects } from './filter-selects';

interface ListHeadProps {
  query: FleetQuery;
  change: (part: Partial<FleetQuery>) => void;
  choices: FilterChoices;
  /** The held order is no longer the current one. */
  changed: boolean;
  update: () => void;
  /** Its width is the width of the traces. */
  traceHead: Ref<HTMLDivElement>;
}

/** The list's head: its columns and sort buttons. */
export function ListHead({ query, change, choices, changed, update, traceHead }: ListHeadProps) {
  const sort = { query, change };
  const lost = useLostSince();
  return (
    <tr
      aria-rowindex={1}
      className="session-head h-[26px] border-t border-ink border-b border-b-hair2 text-small text-ink2 max-md:hidden"
    >
      <Head className="relative">
        {changed ? <UpdateButton update={update} className="absolute top-[-3px] left-[-7px]" /> : 'state'}
      </Head>
      <Head className="c-rank">
        <span className="sr-only">place among the next to go</span>
      </Head>
      <Head className="flex min-w-0 gap-[14px]">
        session
        <FilterSelects query={query} change={change} choices={choices} />
      </Head>
      <Head className="c-bar relative" {...sorted(query, 'pressure')}>
        <SortButton {...sort} by="pressure">
          pressure, % of limit
        </SortButton>
        <span className="num absolute left-[135px]" aria-hidden="true">
          100
        </span>
      </Head>
      <Head className="c-trace flex justify-between">
        <div ref={traceHead} className="num flex w-full justify-between">
          <span>−60 min</span>
          <span>{lost ?? 'now'}</span>
        </div>
      </Head>
      <Head className="c-used text-right">used / limit</Head>
      <Head className="c-rate text-right" {...sorted(query, 'burn')}>
        <SortButton {...sort} by="burn">
          tok/min
        </SortButton>
      </Head>
      <Head className="c-next" {...sorted(query, 'boundary')}>
        <SortButton {...sort} by="boundary">
          next boundary
        </SortButton>
      </Head>
      <Head className="c-count text-right" {...sorted(query, 'continuations')}>
        <SortButton {...sort} by="continuations">
          ctx
        </SortButton>
      </Head>
      <Head className="c-event">last event</Head>
      <Head className="c-age text-right" {...sorted(query, 'last')}>
        <SortButton {...sort} by="last">
          age
        </SortButton>
      </Head>
    </tr>
  );
}

interface UpdateButtonProps extends Pick<ListHeadProps, 'update'> {
  className: string;
}

/** Shows the current order of a held list. */
export function UpdateButton({ update, className }: UpdateButtonProps) {
  return (
    <button
      type="button"
      className={`h-[22px] rounded-control border border-ink bg-paper px-[6px] text-small whitespace-nowrap text-ink ${className}`}
      title="The order changed while the pointer or the focus was in the list"
      onClick={update}
    >
      New order
    </button>
  );
}

interface HeadProps {
  className?: string;
  children: React.ReactNode;
  'aria-sort'?: 'ascending' | 'descending';
}

function Head({ className = '', ...rest }: HeadProps) {
  return <th scope="col" className={className} {...rest} />;
}

/** Whether the natural order of a key begins with its lowest value. */
const RISES: Record<SortKey, boolean> = {
  boundary: true,
  pressure: false,
  burn: false,
  last: true,
  continuations: false,
};

function sorted(query: FleetQuery, key: SortKey): { 'aria-sort'?: 'ascending' | 'descending' } {
  if (query.sort.by !== key) return {};
  return { 'aria-sort': RISES[key] !== query.sort.reversed ? 'ascending' : 'descending' };
}

interface SortButtonProps {
  query: FleetQuery;
  change: (part: Partial<FleetQuery>) => void;
  by: SortKey;
  children: React.ReactNode;
}

/** Sorts by its column; a second press reverses the order. */
function SortButton({ query, change, by, children }: SortButtonProps) {
  const active = query.sort.by === by;
  const rises = RISES[by] !== query.sort.reversed;
  return (
    <button
      type="button"
      className={`whitespace-nowrap ${active ? 'text-ink' : 'hover:text-ink'}`}
      onClick={() => change({ sort: { by, reversed: active && !query.sort.reversed } })}
    >
      {children}
      {active ? <span aria-hidden="true">{rises ? ' ↑' : ' ↓'}</span> : null}
    </button>
  );
}
