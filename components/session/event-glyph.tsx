import { hatchPath, tornEdgePath } from '../charts/torn-edge';
import { StateGlyph } from '../ui/state-glyph';
import type { EventRow } from './describe-event';

/** The event's sign from the chart, 12 px: a state, a tear, a double rule, a dotted rule. */
export function EventGlyph({ glyph, seed }: { glyph: EventRow['glyph']; seed: string }) {
  if (glyph.kind === 'state') {
    return (
      <span data-state={glyph.state} className="text-state">
        <StateGlyph state={glyph.state} />
      </span>
    );
  }
  if (glyph.kind === 'none') return <span />;
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" fill="none" aria-hidden="true">
      {glyph.kind === 'tear' ? (
        <>
          <path
            d={tornEdgePath({ seed, from: 0, to: 12, at: 2, direction: 'vertical' })}
            stroke="var(--ink3)"
            strokeWidth="0.75"
          />
          <path
            d={tornEdgePath({ seed: `${seed}r`, from: 0, to: 12, at: 10, direction: 'vertical' })}
            stroke="var(--ink3)"
            strokeWidth="0.75"
          />
          <path d={hatchPath({ x: 3, y: 1, width: 6, height: 10 })} stroke="var(--ink)" strokeWidth="0.9" />
        </>
      ) : glyph.kind === 'restart' ? (
        <path d="M4.25 0v12M7.75 0v12" stroke="var(--ink)" />
      ) : (
        <path d="M6 0v12" stroke="var(--ink)" strokeDasharray="1 3" />
      )}
    </svg>
  );
}
