import type { EventKind } from '@/core/events/details';
import { KIND_DESCRIPTIONS, KINDS } from '@/core/events/kinds';
import { formatExact } from '../../format/format-tokens';
import { Button } from '../../ui/button';
import { FilterMenu, FilterSwitch, FilterText, ProjectMenu } from '../../ui/filter-bar';
import { GoToTime } from '../../ui/go-to-time';
import { type EventsQuery, KIND_GROUPS, toggleKinds } from './events-query';

interface EventsFilterProps {
  query: EventsQuery;
  change: (part: Partial<EventsQuery>) => void;
  projects: readonly string[];
  waiting: number;
  release: () => void;
}

export function EventsFilter({ query, change, projects, waiting, release }: EventsFilterProps) {
  return (
    <div className="relative flex h-[40px] items-center gap-x-[18px] overflow-x-auto overflow-y-hidden whitespace-nowrap max-md:[mask-image:linear-gradient(90deg,#000_calc(100%-20px),transparent)] [scrollbar-width:none]">
      {waiting === 0 ? null : (
        <Button className="sticky left-0 z-10 shrink-0 border-ink" onClick={release}>
          <span className="num strong">{formatExact(waiting)}</span> new
        </Button>
      )}
      <fieldset className="flex items-center gap-x-[15px]">
        <legend className="sr-only">Show only</legend>
        {KIND_GROUPS.map(({ name, kinds }) => (
          <FilterSwitch
            key={name}
            isOn={kinds.every((kind) => query.kind.includes(kind))}
            toggle={() => change({ kind: toggleKinds(query.kind, kinds) })}
          >
            {name}
          </FilterSwitch>
        ))}
      </fieldset>
      <FilterMenu
        label="One kind"
        value={query.kind.length === 1 ? (query.kind[0] ?? '') : ''}
        none="kind"
        onChange={(kind) => change({ kind: kind === '' ? [] : [kind as EventKind] })}
      >
        {KIND_GROUPS.map(({ name, kinds }) => (
          <optgroup key={name} label={name}>
            {kinds.map((kind) => (
              <option key={kind} value={kind} title={KIND_DESCRIPTIONS[kind]}>
                {KINDS[kind].label}
              </option>
            ))}
          </optgroup>
        ))}
      </FilterMenu>
      <ProjectMenu value={query.project} projects={projects} onChange={(project) => change({ project })} />
      <FilterMenu
        label="Filter by chain"
        value={query.chain ?? ''}
        none="chain"
        onChange={(chain) => change({ chain: chain === 'main' || chain === 'side' ? chain : null })}
      >
        <option value="main">main chain</option>
        <option value="side">sub-agents</option>
      </FilterMenu>
      <FilterText
        label="Filter by session"
        placeholder="session"
        value={query.session}
        onChange={(session) => change({ session })}
        className="w-[180px] shrink-0"
      />
      <GoToTime
        className="max-md:order-first"
        before={Date.now}
        onGo={({ at, spanMs }) => change({ from: null, to: new Date(at + spanMs - 1) })}
      />
    </div>
  );
}
