import type { FilterChoices } from '@/core/api/responses';
import { HISTORY_GROUPINGS } from '@/core/history/groupings';
import { shortModel } from '../../sessions/session-names';
import { FilterSwitch, NameMenu } from '../../ui/filter-bar';
import type { ChangeHistoryUrl, HistoryUrl } from './use-history-url';

interface HistoryFiltersProps {
  url: HistoryUrl;
  change: ChangeHistoryUrl;
  choices: FilterChoices;
}

/** Grouping and filters of the range. */
export function HistoryFilters({ url, change, choices }: HistoryFiltersProps) {
  return (
    <>
      <fieldset className="flex gap-[18px]">
        <legend className="float-left -mr-[6px] leading-[28px] text-ink2">by</legend>
        {HISTORY_GROUPINGS.map((name) => (
          <FilterSwitch key={name} isOn={url.by === name} toggle={() => change({ by: name })}>
            {name}
          </FilterSwitch>
        ))}
      </fieldset>
      <fieldset className="flex min-w-0 gap-[16px] text-ink2">
        <legend className="sr-only">Only</legend>
        {HISTORY_GROUPINGS.map((name) => (
          <NameMenu
            key={name}
            label={`Only the ${name}`}
            value={url[name] ?? ''}
            none={name}
            names={choices[`${name}s`]}
            {...(name === 'model' ? { show: shortModel } : {})}
            onChange={(value) => change({ [name]: value || null })}
          />
        ))}
      </fieldset>
    </>
  );
}
