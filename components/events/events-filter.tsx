import type { EventKind } from '@/core/api/session';
import { MenuMark } from '../fleet/filter-selects';
import { formatExact } from '../format/format-tokens';
import { GoToTime } from '../ui/go-to-time';
import { describeKind } from './describe-kind';
import { type EventsQuery, KIND_GROUPS, toggleKinds } from './events-query';

interface EventsFilterProps {
  query: EventsQuery;
  change: (part: Partial<EventsQuery>) => void;
  /** Names of all projects. */
  projects: readonly string[];
  /** News that wait, and what shows them. */
  waiting: number;
  release: () => void;
}

const SELECT = 'field-sizing-content max-w-[170px] min-w-0 appearance-none truncate bg-transparent pr-[11px]';

/** What is shown: kinds by what they belong to, one kind, project, whose, and text of the session. */
export function EventsFilter({ query, change, projects, waiting, release }: EventsFilterProps) {
  return (
    <div className="relative flex h-[40px] items-center gap-x-[18px] overflow-x-auto overflow-y-hidden whitespace-nowrap [scrollbar-width:none]">
      {waiting === 0 ? null : (
        <button type="button" className="button sticky left-0 z-10 shrink-0 border-ink" onClick={release}>
          <span className="num strong">{formatExact(waiting)}</span> new
        </button>
      )}
      <fieldset className="flex items-center gap-x-[15px]">
        <legend className="sr-only">Show only</legend>
        {KIND_GROUPS.map(({ name, kinds }) => {
          const isOn = kinds.every((kind) => query.kind.includes(kind));
          return (
            <button
              key={name}
              type="button"
              aria-pressed={isOn}
              onClick={() => change({ kind: toggleKinds(query.kind, kinds) })}
              className={`h-[28px] border-y-[1.5px] border-t-transparent ${isOn ? 'border-b-ink' : 'border-b-transparent text-ink2 hover:border-b-hair2 hover:text-ink'}`}
            >
              {name}
            </button>
          );
        })}
      </fieldset>
      <Select
        label="One kind"
        value={query.kind.length === 1 ? (query.kind[0] ?? '') : ''}
        none="kind"
        onChange={(kind) => change({ kind: kind === '' ? [] : [kind as EventKind] })}
      >
        {KIND_GROUPS.map(({ name, kinds }) => (
          <optgroup key={name} label={name}>
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {describeKind(kind)}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
      {projects.length < 2 && query.project === '' ? null : (
        <Select
          label="Filter by project"
          value={query.project}
          none="project"
          onChange={(project) => change({ project })}
        >
          {[...new Set([...(query.project === '' ? [] : [query.project]), ...projects])].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      )}
      <Select
        label="Filter by chain"
        value={query.chain ?? ''}
        none="chain"
        onChange={(chain) => change({ chain: chain === 'main' || chain === 'side' ? chain : null })}
      >
        <option value="main">main chain</option>
        <option value="side">sub-agents</option>
      </Select>
      <input
        type="search"
        aria-label="Filter by session"
        placeholder="session"
        autoComplete="off"
        spellCheck={false}
        value={query.session}
        onChange={(event) => change({ session: event.target.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          if (query.session === '') event.currentTarget.blur();
          else change({ session: '' });
        }}
        className="h-[28px] w-[180px] shrink-0 appearance-none border-b border-hair2 bg-transparent outline-none focus:border-ink [&::-webkit-search-cancel-button]:hidden"
      />
      <GoToTime
        before={Date.now}
        onGo={({ at, spanMs }) => change({ from: null, to: new Date(at + spanMs - 1) })}
      />
    </div>
  );
}

interface SelectProps {
  label: string;
  value: string;
  /** Word while nothing is chosen. */
  none: string;
  onChange: (value: string) => void;
  children: React.ReactNode;
}

function Select({ label, value, none, onChange, children }: SelectProps) {
  return (
    <span className="relative inline-flex shrink-0 items-center">
      <select
        aria-label={label}
        value={value}
        className={`${SELECT} ${value === '' ? 'text-ink2 hover:text-ink' : 'font-medium text-ink'}`}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{value === '' ? none : `any ${none}`}</option>
        {children}
      </select>
      <MenuMark />
    </span>
  );
}
