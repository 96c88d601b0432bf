'use client';
import { TRANSCRIPT_STATES } from '@/core/transcript/transcript-states';
import { MenuMark } from '../../fleet/filter-selects';
import { STATE_WORDS } from '../transcript-words';
import { SIZE_NAMES, SIZES, type SizeName, type TranscriptsQuery } from './transcripts-query';

interface TranscriptsFilterProps {
  query: TranscriptsQuery;
  change: (part: Partial<TranscriptsQuery>) => void;
  projects: readonly string[];
  /** Null: nothing is filtered. */
  clear: (() => void) | null;
}

/** What is looked for in the transcripts, and which of them. */
export function TranscriptsFilter({ query, change, projects, clear }: TranscriptsFilterProps) {
  return (
    <search className="block border-t border-ink">
      <div className="flex min-h-[40px] flex-wrap items-center gap-x-[20px] gap-y-[4px] py-[5px]">
        <Text
          label="Search in transcripts"
          placeholder="Search in transcripts"
          value={query.q}
          onChange={(q) => change({ q })}
          className="w-[280px] max-w-full max-sm:w-full"
        />
        <fieldset className="flex flex-wrap items-center gap-x-[15px]">
          <legend className="sr-only">Only in this state</legend>
          {TRANSCRIPT_STATES.map((state) => {
            const isOn = query.state.includes(state);
            return (
              <button
                key={state}
                type="button"
                aria-pressed={isOn}
                onClick={() =>
                  change({
                    state: TRANSCRIPT_STATES.filter((name) =>
                      name === state ? !isOn : query.state.includes(name),
                    ),
                  })
                }
                className={`h-[28px] border-y-[1.5px] border-t-transparent ${isOn ? 'border-b-ink' : 'border-b-transparent text-ink2 hover:border-b-hair2 hover:text-ink'}`}
              >
                {STATE_WORDS[state]}
              </button>
            );
          })}
        </fieldset>
      </div>
      <div className="flex min-h-[34px] flex-wrap items-center gap-x-[20px] gap-y-[4px] border-t border-hair py-[3px]">
        {projects.length < 2 && query.project === '' ? null : (
          <Choose
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
          </Choose>
        )}
        <Text
          label="Filter by session"
          placeholder="session"
          value={query.session}
          onChange={(session) => change({ session })}
          className="w-[140px]"
        />
        <Choose
          label="Filter by trigger"
          value={query.trigger ?? ''}
          none="trigger"
          onChange={(value) => change({ trigger: value === 'auto' || value === 'manual' ? value : null })}
        >
          <option value="auto">auto</option>
          <option value="manual">manual</option>
        </Choose>
        <Choose
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
        </Choose>
        <span className="flex items-center gap-[8px] text-ink2">
          <Day label="from" value={query.from} onChange={(from) => change({ from })} />
          <Day label="to" value={query.to} onChange={(to) => change({ to })} />
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

interface TextProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  className: string;
}

function Text({ label, placeholder, value, onChange, className }: TextProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        if (value === '') event.currentTarget.blur();
        else onChange('');
      }}
      className={`h-[28px] min-w-0 appearance-none border-b border-hair2 bg-transparent outline-none focus:border-ink [&::-webkit-search-cancel-button]:hidden ${className}`}
    />
  );
}

interface ChooseProps {
  label: string;
  value: string;
  /** Word while nothing is chosen. */
  none: string;
  onChange: (value: string) => void;
  children: React.ReactNode;
}

function Choose({ label, value, none, onChange, children }: ChooseProps) {
  return (
    <span className="relative inline-flex min-w-0 items-center">
      <select
        aria-label={label}
        value={value}
        className={`field-sizing-content max-w-[170px] min-w-0 appearance-none truncate bg-transparent pr-[11px] ${value === '' ? 'text-ink2 hover:text-ink' : 'font-medium text-ink'}`}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{value === '' ? none : `any ${none}`}</option>
        {children}
      </select>
      <MenuMark />
    </span>
  );
}

interface DayProps {
  label: string;
  value: Date | null;
  onChange: (value: Date | null) => void;
}

function Day({ label, value, onChange }: DayProps) {
  return (
    <label className="flex items-center gap-[6px]">
      {label}
      <input
        type="date"
        value={value === null ? '' : value.toISOString().slice(0, 10)}
        className="num h-[24px] border-b border-hair2 bg-transparent text-ink focus-visible:border-ink"
        onChange={(event) => {
          const { valueAsDate } = event.currentTarget;
          onChange(valueAsDate);
        }}
      />
    </label>
  );
}
