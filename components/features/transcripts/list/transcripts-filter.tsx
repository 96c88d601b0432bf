'use client';
import { TRANSCRIPT_STATES } from '@/core/transcript/transcript-states';
import { STATE_WORDS } from '../../../format/transcript-words';
import { DayField } from '../../../ui/day-field';
import { FilterMenu, FilterSwitch, FilterText, ProjectMenu } from '../../../ui/filter-bar';
import { SIZE_NAMES, SIZES, type SizeName, type TranscriptsQuery } from './transcripts-query';

interface TranscriptsFilterProps {
  query: TranscriptsQuery;
  change: (part: Partial<TranscriptsQuery>) => void;
  projects: readonly string[];
  /** Null: no filter is set. */
  clear: (() => void) | null;
}

/** Search and filters of the list. */
export function TranscriptsFilter({ query, change, projects, clear }: TranscriptsFilterProps) {
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
          {TRANSCRIPT_STATES.map((state) => {
            const isOn = query.state.includes(state);
            return (
              <FilterSwitch
                key={state}
                isOn={isOn}
                toggle={() =>
                  change({
                    state: TRANSCRIPT_STATES.filter((name) =>
                      name === state ? !isOn : query.state.includes(name),
                    ),
                  })
                }
              >
                {STATE_WORDS[state]}
              </FilterSwitch>
            );
          })}
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
        <FilterMenu
          label="Filter by trigger"
          value={query.trigger ?? ''}
          none="trigger"
          onChange={(value) => change({ trigger: value === 'auto' || value === 'manual' ? value : null })}
        >
          <option value="auto">auto</option>
          <option value="manual">manual</option>
        </FilterMenu>
        <FilterMenu
          label="Filter by size"
          value={query.size ?? ''}
          none="size"
          onChange={(value) => change({ size: SIZE_NAMES.find((name) => name === value) ?? null })}
        >
          {SIZE_NAMES.map((name: SizeName) => (
            <option key={name} value={name}>
              {SIZES[name].words}
            </option>
          ))}
        </FilterMenu>
        <span className="flex items-center gap-[8px] text-ink2">
          <DayField label="from" value={query.from} onChange={(from) => change({ from })} />
          <DayField label="to" value={query.to} onChange={(to) => change({ to })} />
        </span>
        {clear === null ? null : (
          <button type="button" className="button h-[22px]" onClick={clear}>
            Clear filters
          </button>
        )}
      </div>
    </search>
  );
}
