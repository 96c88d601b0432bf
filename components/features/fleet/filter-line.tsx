import type { Session } from '@/core/api/session';
import { formatExact } from '../../format/format-tokens';
import { AXIS_END, type FleetQuery, SORT_KEYS, type SortKey } from '../../sessions/fleet-query';
import { shortModel } from '../../sessions/session-names';
import { MenuMark, NameMenu } from '../../ui/filter-bar';
import { STATE_WORD } from '../../ui/state-label';

const NAMES = ['project', 'model', 'runner'] as const;

export type FilterChoices = Record<(typeof NAMES)[number], string[]>;

export function filterChoices(sessions: Iterable<Session>): FilterChoices {
  const found = { project: new Set<string>(), model: new Set<string>(), runner: new Set<string>() };
  for (const session of sessions) {
    for (const name of NAMES) found[name].add(session[name] ?? '');
  }
  const sorted = (names: Set<string>) => [...names].filter((name) => name !== '').sort();
  return { project: sorted(found.project), model: sorted(found.model), runner: sorted(found.runner) };
}

/** The filters in words: `live`, `project checkout`, `from 75 %`; empty without a filter. */
export function describeFilters(query: FleetQuery): string[] {
  const { text, states, liveness, trouble, archiveFailed, range } = query;
  const parts = [
    liveness.join(' or '),
    states.map((state) => STATE_WORD[state]).join(' or '),
    trouble ? 'with anomalies' : '',
    archiveFailed ? 'archive failed' : '',
    ...NAMES.map((name) => (query[name] === null ? '' : `${name} ${query[name]}`)),
    range === null
      ? ''
      : range.to === AXIS_END
        ? `from ${range.from} %`
        : `pressure ${range.from} to ${range.to} %`,
    text === '' ? '' : `“${text}”`,
  ];
  return parts.filter((part) => part !== '');
}

interface FilterProps {
  query: FleetQuery;
  change: (part: Partial<FleetQuery>) => void;
}

export function FilterSelects({ query, change, choices }: FilterProps & { choices: FilterChoices }) {
  return NAMES.map((name) => (
    <NameMenu
      key={name}
      label={`Filter by ${name}`}
      value={query[name] ?? ''}
      none={name}
      names={choices[name]}
      {...(name === 'model' ? { show: shortModel } : {})}
      onChange={(chosen) => change({ [name]: chosen || null })}
    />
  ));
}

interface FilterLineProps {
  filters: readonly string[];
  found: number;
  total: number;
  clear: () => void;
}

export function FilterLine({ filters, found, total, clear }: FilterLineProps) {
  if (filters.length === 0) return null;
  return (
    <div className="flex min-h-[32px] flex-wrap items-center gap-x-[12px] gap-y-[4px] border-t border-hair py-[4px] text-small max-md:border-t-0">
      <p role="status">
        {found === 0 ? (
          'No matches'
        ) : (
          <>
            <span className="num strong">{formatExact(found)}</span>
            <span className="text-ink2"> of </span>
            <span className="num">{formatExact(total)}</span> sessions
          </>
        )}
        <span className="text-ink2">: {filters.join(', ')}</span>
      </p>
      <button type="button" className="button h-[22px]" onClick={clear}>
        Clear filters
      </button>
      {found === 0 ? <span className="text-ink2">The barcode shows all sessions in grey.</span> : null}
    </div>
  );
}

const SORT_WORD: Record<SortKey, string> = {
  boundary: 'soonest',
  pressure: 'pressure',
  burn: 'tokens per minute',
  last: 'last turn',
  continuations: 'contexts',
};

/** Order and filters on a phone, where the list has no head. */
export function PhoneMenus({ query, change, choices }: FilterProps & { choices: FilterChoices }) {
  return (
    <div className="order-2 flex shrink-0 items-center gap-[14px] text-small text-ink2 md:hidden">
      <span className="relative inline-flex items-center">
        <select
          aria-label="Sort by"
          value={query.sort.by}
          className="field-sizing-content appearance-none bg-transparent pr-[11px] text-ink"
          onChange={(event) => {
            const by = SORT_KEYS.find((key) => key === event.target.value);
            if (by !== undefined) change({ sort: { by, reversed: false } });
          }}
        >
          {SORT_KEYS.map((key) => (
            <option key={key} value={key}>
              {SORT_WORD[key]}
            </option>
          ))}
        </select>
        <MenuMark />
      </span>
      <FilterSelects query={query} change={change} choices={choices} />
      <button type="button" onClick={() => change({ view: 'wall' })}>
        Wall
      </button>
    </div>
  );
}
