import { formatExact } from '../../format/format-tokens';
import { type FleetQuery, SORT_KEYS, type SortKey } from '../../sessions/fleet-query';
import { MenuMark } from '../../ui/filter-bar';
import { describeFilters } from './describe-filters';
import type { FilterChoices } from './filter-choices';
import { FilterSelects } from './filter-selects';

interface FilterLineProps {
  query: FleetQuery;
  /** The query that was answered: a large fleet may still be searched for `query`. */
  shown: FleetQuery;
  change: (part: Partial<FleetQuery>) => void;
  choices: FilterChoices;
  found: number;
  total: number;
  filtered: boolean;
  clear: () => void;
}

/** The active filters with a button to clear them; on a phone also the menus of the head. */
export function FilterLine({
  query,
  shown,
  change,
  choices,
  found,
  total,
  filtered,
  clear,
}: FilterLineProps) {
  return (
    <>
      <div className="relative flex h-[36px] items-center gap-[14px] overflow-x-auto border-b border-hair2 text-small text-ink2 md:hidden">
        <SortSelect query={query} change={change} />
        <FilterSelects query={query} change={change} choices={choices} />
      </div>
      {filtered ? (
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
            <span className="text-ink2">: {describeFilters(shown).join(', ')}</span>
          </p>
          <button type="button" className="button h-[22px]" onClick={clear}>
            Clear filters
          </button>
          {found === 0 ? <span className="text-ink2">The barcode shows all sessions as shadows.</span> : null}
        </div>
      ) : null}
    </>
  );
}

const SORT_WORD: Record<SortKey, string> = {
  boundary: 'soonest',
  pressure: 'pressure',
  burn: 'tokens a minute',
  last: 'last turn',
  continuations: 'contexts',
};

function SortSelect({ query, change }: Pick<FilterLineProps, 'query' | 'change'>) {
  return (
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
  );
}
