'use client';
import type { CompareUrl } from '../../sessions/compare-url';
import { Choice } from '../../ui/choice';
import { type NamedSide, sharedUnit } from './prepare-compare';

interface CompareControlsProps {
  sides: readonly NamedSide[];
  url: CompareUrl;
  look: (change: Partial<CompareUrl>) => void;
  swap: () => void;
}

/** Alignment of the sides and unit of the axis. */
export function CompareControls({ sides, url, look, swap }: CompareControlsProps) {
  const canShare = sharedUnit(sides, 'percent') === 'percent';
  return (
    <div className="flex flex-wrap items-center gap-x-[34px] gap-y-[2px] border-t border-ink py-[4px]">
      <Choice
        legend="Aligned by"
        name="by"
        value={url.by}
        options={[
          { value: 'turns', label: 'Turns' },
          { value: 'minutes', label: 'Minutes' },
        ]}
        onChange={(by) => look({ by })}
      />
      {canShare ? (
        <Choice
          legend="Axis"
          name="unit"
          value={url.unit}
          options={[
            { value: 'percent', label: 'Share of the limit' },
            { value: 'tokens', label: 'Tokens' },
          ]}
          onChange={(unit) => look({ unit })}
        />
      ) : (
        <p className="text-ink2">In tokens: one side has no known limit.</p>
      )}
      <button type="button" className="ml-auto text-ink2 hover:text-ink" onClick={swap}>
        Swap A and B
      </button>
    </div>
  );
}
