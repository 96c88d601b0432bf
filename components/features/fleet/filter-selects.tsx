import type { FleetQuery } from '../../sessions/fleet-query';
import { shortModel } from '../../sessions/session-names';
import { NameMenu } from '../../ui/filter-bar';
import type { FilterChoices } from './filter-choices';

interface FilterSelectsProps {
  query: FleetQuery;
  change: (part: Partial<FleetQuery>) => void;
  choices: FilterChoices;
}

/** Project, model and runner, each a menu. */
export function FilterSelects({ query, change, choices }: FilterSelectsProps) {
  return (['project', 'model', 'runner'] as const).map((field) => (
    <NameMenu
      key={field}
      label={`Filter by ${field}`}
      value={query[field] ?? ''}
      none={field}
      names={choices[field]}
      {...(field === 'model' ? { show: shortModel } : {})}
      onChange={(name) => change({ [field]: name || null })}
    />
  ));
}
