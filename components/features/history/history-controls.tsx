'use client';
import { type FormEvent, useId, useState } from 'react';
import type { FilterChoices } from '@/core/api/responses';
import { HISTORY_GROUPINGS } from '@/core/history/groupings';
import { useTimeZone } from '../../data/use-time-zone';
import { MINUTE_PATTERN, minuteText, readMinute } from '../../format/local-text';
import { RANGE_NAMES, RANGE_WORDS } from '../../format/range-names';
import { shortModel } from '../../sessions/session-names';
import { Button } from '../../ui/button';
import { FilterSwitch, NameMenu } from '../../ui/filter-bar';
import { movedRange, SHORTEST_RANGE_MS, type ShownRange } from './history-range';
import type { ChangeHistoryUrl, HistoryUrl } from './use-history';

interface HistoryControlsProps {
  url: HistoryUrl;
  change: ChangeHistoryUrl;
  range: ShownRange;
  now: number;
  choices: FilterChoices;
}

/** Chooses the range: a named range that ends now, or a custom range. Moves the range, groups, and filters. */
export function HistoryControls({ url, change, range, now, choices }: HistoryControlsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const isNamed = range.isLive && url.from === null;
  return (
    <div className="flex min-h-[34px] flex-wrap items-center gap-x-[28px] gap-y-[4px] border-t border-ink py-[6px]">
      <fieldset className="flex flex-wrap gap-x-[18px] gap-y-[2px]">
        <legend className="sr-only">Range</legend>
        {RANGE_NAMES.map((name) => (
          <FilterSwitch
            key={name}
            isOn={isNamed && url.range === name}
            label={RANGE_WORDS[name]}
            toggle={() => change({ range: name, from: null, to: null })}
          >
            <span className="num">{name.replace(/(\d)([a-z])/, '$1\u00a0$2')}</span>
          </FilterSwitch>
        ))}
        <button
          type="button"
          aria-expanded={isOpen}
          className={
            isNamed ? 'text-ink2 hover:text-ink' : 'underline decoration-[1.5px] underline-offset-[5px]'
          }
          onClick={() => setIsOpen(!isOpen)}
        >
          Custom range
        </button>
      </fieldset>
      <fieldset className="flex gap-[14px]">
        <legend className="sr-only">Move the range</legend>
        {(['earlier', 'later', 'wider'] as const).map((move) => (
          <button
            key={move}
            type="button"
            className="text-ink2 capitalize hover:text-ink disabled:opacity-50"
            disabled={move === 'later' && range.isLive}
            onClick={() => change(movedRange(range, move, now))}
          >
            {move}
          </button>
        ))}
      </fieldset>
      {isOpen ? (
        <RangeFields
          key={`${url.from?.getTime() ?? ''} ${url.to?.getTime() ?? ''}`}
          range={range}
          change={change}
        />
      ) : null}
      <fieldset className="flex gap-[18px]">
        <legend className="float-left -mr-[6px] leading-[28px] text-ink2">by</legend>
        {HISTORY_GROUPINGS.map((name) => (
          <FilterSwitch key={name} isOn={url.by === name} toggle={() => change({ by: name })}>
            {name}
          </FilterSwitch>
        ))}
      </fieldset>
      <fieldset className="flex min-w-0 gap-[16px] text-ink2">
        <legend className="sr-only">Filters</legend>
        {HISTORY_GROUPINGS.map((name) => (
          <NameMenu
            key={name}
            label={`Filter by ${name}`}
            value={url[name] ?? ''}
            none={name}
            names={choices[`${name}s`]}
            {...(name === 'model' && { show: shortModel })}
            onChange={(value) => change({ [name]: value || null })}
          />
        ))}
      </fieldset>
      {HISTORY_GROUPINGS.some((name) => url[name] !== null) ? (
        <Button className="h-[22px]" onClick={() => change({ project: null, runner: null, model: null })}>
          Clear filters
        </Button>
      ) : null}
    </div>
  );
}

/** The fields of a custom range, in the viewer's time zone. */
function RangeFields({ range, change }: Pick<HistoryControlsProps, 'range' | 'change'>) {
  const zone = useTimeZone();
  const [fault, setFault] = useState('');
  const faultId = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    const [from, to] = ['from', 'to'].map((name) => readMinute(String(typed.get(name)), zone));
    if (from == null || to == null) setFault(`Enter both times as ${MINUTE_PATTERN}.`);
    else if (to - from < SHORTEST_RANGE_MS) setFault('The end must be at least 5 minutes after the start.');
    else change({ from: new Date(from), to: new Date(to) });
  };
  return (
    <form
      className="flex basis-full flex-wrap items-center gap-x-[10px] gap-y-[6px] py-[4px]"
      onSubmit={submit}
    >
      {(['from', 'to'] as const).map((name) => (
        <label key={name} className="flex items-center gap-[6px] text-ink2">
          {name}
          <input
            name={name}
            inputMode="numeric"
            autoComplete="off"
            placeholder={MINUTE_PATTERN}
            title={`Local time, ${MINUTE_PATTERN}`}
            size={16}
            maxLength={16}
            defaultValue={minuteText(range[name], zone)}
            aria-invalid={fault !== ''}
            aria-describedby={faultId}
            className="num h-[24px] border-b border-hair2 bg-transparent text-ink focus-visible:border-ink"
          />
        </label>
      ))}
      <Button type="submit">Show</Button>
      <p id={faultId} role="alert" className="text-small">
        {fault}
      </p>
    </form>
  );
}
