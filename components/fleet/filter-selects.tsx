import type { FilterChoices } from './filter-choices';
import type { FleetQuery } from './fleet-query';
import { shortModel } from './session-names';

interface FilterSelectsProps {
  query: FleetQuery;
  change: (part: Partial<FleetQuery>) => void;
  choices: FilterChoices;
}

const FIELDS = ['project', 'model', 'runner'] as const;

/** Project, model and runner, each a plain menu; one with nothing to choose is left out. */
export function FilterSelects({ query, change, choices }: FilterSelectsProps) {
  return FIELDS.map((field) => {
    const chosen = query[field];
    const names = choices[field];
    if (names.length < 2 && chosen === null) return null;
    const all = chosen === null || names.includes(chosen) ? names : [chosen, ...names];
    return (
      <span key={field} className="relative inline-flex min-w-0 items-center">
        <select
          aria-label={`Filter by ${field}`}
          value={chosen ?? ''}
          className={`field-sizing-content max-w-[150px] min-w-0 appearance-none truncate bg-transparent pr-[11px] hover:text-ink ${chosen === null ? '' : 'font-medium text-ink'}`}
          onChange={(event) => change({ [field]: event.target.value || null })}
        >
          <option value="">{chosen === null ? field : `any ${field}`}</option>
          {all.map((name) => (
            <option key={name} value={name}>
              {field === 'model' ? shortModel(name) : name}
            </option>
          ))}
        </select>
        <MenuMark />
      </span>
    );
  });
}

/** The mark of a menu, at its right end. */
export function MenuMark() {
  return (
    <svg
      width="6"
      height="4"
      viewBox="0 0 6 4"
      className="pointer-events-none absolute top-1/2 right-0 -translate-y-1/2"
      aria-hidden="true"
    >
      <path d="M0 0h6L3 4z" fill="currentColor" />
    </svg>
  );
}
