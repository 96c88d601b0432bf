'use client';
import { useState } from 'react';
import { RANGE_NAMES, RANGE_WORDS } from '../../format/range-names';
import { FilterSwitch } from '../../ui/filter-bar';
import { movedRange, type ShownRange } from './history-range';
import { RangeFields } from './range-fields';
import type { ChangeHistoryUrl, HistoryUrl } from './use-history-url';

interface RangeControlsProps {
  url: HistoryUrl;
  change: ChangeHistoryUrl;
  range: ShownRange;
  now: number;
}

const MOVES = [
  ['earlier', 'Earlier'],
  ['later', 'Later'],
  ['wider', 'Wider'],
] as const;

/** Named ranges that end now, a custom range, and buttons that move the range. */
export function RangeControls({ url, change, range, now }: RangeControlsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const isNamed = range.isLive && url.from === null;
  return (
    <>
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
          aria-controls="range-fields"
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
        {MOVES.map(([move, name]) => (
          <button
            key={move}
            type="button"
            className="text-ink2 hover:text-ink disabled:opacity-50"
            disabled={move === 'later' && range.isLive}
            onClick={() => change(movedRange(range, move, now))}
          >
            {name}
          </button>
        ))}
      </fieldset>
      {isOpen ? (
        <RangeFields
          key={`${url.from?.getTime() ?? ''} ${url.to?.getTime() ?? ''}`}
          range={range}
          apply={(from, to) => change({ from, to })}
        />
      ) : null}
    </>
  );
}
