import { stateOf } from '@/core/accounting/state';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import { StateGlyph } from '../../ui/glyphs';
import { Percent } from '../../ui/percent';
import { STATE_WORD } from '../../ui/state-label';

/** A peak with the sign of its state. */
export function PeakFigure({ peak }: { peak: number | null }) {
  if (peak === null) {
    return (
      <span className="text-ink2" title="No pressure was known">
        –
      </span>
    );
  }
  const state = stateOf(peak, DEFAULT_THRESHOLDS);
  return (
    <span data-state={state} className="inline-flex items-center gap-[5px]">
      <span className="text-state" title={STATE_WORD[state]}>
        <StateGlyph state={state} size={10} />
        <span className="sr-only">{STATE_WORD[state]}</span>
      </span>
      <Percent ratio={peak} />
    </span>
  );
}
