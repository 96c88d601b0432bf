'use client';
import { TRANSCRIPT_STATES, type TranscriptState } from '@/core/transcript/transcript-states';
import { STATE_WORDS } from '../../../format/transcript-words';
import { Button } from '../../../ui/button';
import { DayField } from '../../../ui/day-field';
import { FilterSwitch, FilterText, NameMenu, ProjectMenu } from '../../../ui/filter-bar';
import { SIZE_NAMES, SIZES, type TranscriptsQuery } from './transcripts-query';

const TRIGGERS = ['auto', 'manual'] as const;

interface TranscriptsFilterProps {
  query: TranscriptsQuery;
  change: (part: Partial<TranscriptsQuery>) => void;
  projects: readonly string[];
  /** Null: no filter is set. */
  clear: (() => void) | null;
}

export function TranscriptsFilter({ query, change, projects, clear }: TranscriptsFilterProps) {
  const { state: states } = query;
  const toggle = (state: TranscriptState) =>
    change({ state: TRANSCRIPT_STATES.filter((name) => states.includes(name) !== (name === state)) });
  return (
    <search className="block border-t border-ink">
      <div className="flex min-h-[40px] flex-wrap items-center gap-x-[20px] gap-y-[4px] py-[5px]">
        <FilterText
          label="Search in transcripts"
          placeholder="Search in transcripts"
          value={query.q}
          onChange={(q) => change({ q })}
          className="w-[280px] min-w-0 max-w-full max-sm:w-full"
        />
        <fieldset className="flex flex-wrap items-center gap-x-[15px]">
          <legend className="sr-only">State</legend>
          {TRANSCRIPT_STATES.map((state) => (
            <FilterSwitch key={state} isOn={states.includes(state)} toggle={() => toggle(state)}>
              {STATE_WORDS[state]}
            </FilterSwitch>
          ))}
        </fieldset>
      </div>
      <div className="flex min-h-[34px] flex-wrap items-center gap-x-[20px] gap-y-[4px] border-t border-hair py-[3px]">
        <ProjectMenu value={query.project} projects={projects} onChange={(project) => change({ project })} />
        <FilterText
          label="Filter by session"
          placeholder="session"
          value={query.session}
          onChange={(session) => change({ session })}
          className="w-[140px] min-w-0"
        />
        <NameMenu
          label="Filter by trigger"
          value={query.trigger ?? ''}
          none="trigger"
          names={TRIGGERS}
          onChange={(value) => change({ trigger: TRIGGERS.find((name) => name === value) ?? null })}
        />
        <NameMenu
          label="Filter by size"
          value={query.size ?? ''}
          none="size"
          names={SIZE_NAMES}
          show={(value) => SIZES[value as keyof typeof SIZES].words}
          onChange={(value) => change({ size: SIZE_NAMES.find((name) => name === value) ?? null })}
        />
        <span className="flex items-center gap-[8px] text-ink2">
          <DayField label="from" value={query.from} onChange={(from) => change({ from })} />
          <DayField label="to" value={query.to} onChange={(to) => change({ to })} />
        </span>
        {clear === null ? null : (
          <Button className="h-[22px]" onClick={clear}>
            Clear filters
          </Button>
        )}
      </div>
    </search>
  );
}
