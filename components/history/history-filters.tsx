import type { FilterChoices } from '@/core/api/responses';
import { HISTORY_GROUPINGS } from '@/core/history/groupings';
import { MenuMark } from '../fleet/filter-selects';
import { shortModel } from '../fleet/session-names';
import { Choice } from './choice';
import type { ChangeHistoryUrl, HistoryUrl } from './use-history-url';

interface HistoryFiltersProps {
  url: HistoryUrl;
  change: ChangeHistoryUrl;
  choices: FilterChoices;
}

/** What the range is parted by, and what it is narrowed to. */
export function HistoryFilters({ url, change, choices }: HistoryFiltersProps) {
  return (
    <>
      <fieldset className="flex gap-[18px]">
        <legend className="float-left -mr-[6px] text-ink2">by</legend>
        {HISTORY_GROUPINGS.map((name) => (
          <Choice key={name} on={url.by === name} onChoose={() => change({ by: name })}>
            {name}
          </Choice>
        ))}
      </fieldset>
      <fieldset className="flex min-w-0 gap-[16px] text-ink2">
        <legend className="sr-only">Only</legend>
        {HISTORY_GROUPINGS.map((name) => (
          <NameSelect
            key={name}
            name={name}
            chosen={url[name]}
            names={choices[`${name}s`]}
            choose={(value) => change({ [name]: value })}
          />
        ))}
      </fieldset>
    </>
  );
}

interface NameSelectProps {
  name: (typeof HISTORY_GROUPINGS)[number];
  chosen: string | null;
  names: readonly string[];
  choose: (value: string | null) => void;
}

function NameSelect({ name, chosen, names, choose }: NameSelectProps) {
  if (names.length < 2 && chosen === null) return null;
  const all = chosen === null || names.includes(chosen) ? names : [chosen, ...names];
  return (
    <span className="relative inline-flex min-w-0 items-center">
      <select
        aria-label={`Only the ${name}`}
        value={chosen ?? ''}
        className={`field-sizing-content max-w-[160px] min-w-0 appearance-none truncate bg-transparent pr-[11px] hover:text-ink ${chosen === null ? '' : 'font-medium text-ink'}`}
        onChange={(event) => choose(event.target.value || null)}
      >
        <option value="">any {name}</option>
        {all.map((value) => (
          <option key={value} value={value}>
            {name === 'model' ? shortModel(value) : value}
          </option>
        ))}
      </select>
      <MenuMark />
    </span>
  );
}
