import type { PressureState } from '@/core/accounting/types';
import type { SessionEvent } from '@/core/events/event';
import { boundaryOf, KINDS } from '@/core/events/kinds';
import { hatchPath, tornEdgePath } from '../charts/torn-edge';
import { StateGlyph, TROUBLE_PATH } from '../ui/glyphs';

/** The event's icon, 12 px: the glyph of a state, the event's chart mark, or a drawing. */
export function EventGlyph({ event }: { event: SessionEvent }) {
  const { icon } = KINDS[event.kind];
  if (icon === 'state') {
    const state = stateOf(event);
    return (
      <span data-state={state} className="text-state">
        <StateGlyph state={state} />
      </span>
    );
  }
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" fill="none" stroke="var(--ink)" aria-hidden="true">
      {icon === 'tear' ? tear(event) : SIGNS[icon]}
    </svg>
  );
}

function stateOf(event: SessionEvent): PressureState {
  if (event.kind === 'state_changed') return event.detail.to;
  return event.kind === 'redlined' ? 'redlined' : 'untracked';
}

const SIGNS = {
  restart: <path d="M4.25 0v12M7.75 0v12" />,
  clear: <path d="M6 0v12" strokeDasharray="1 3" />,
  notch: (
    <>
      <path d="M2 1h8L6 6z" fill="var(--ink2)" stroke="none" />
      <path d="M6 7v5" strokeDasharray="1 2" />
    </>
  ),
  // The trace reaches the restart line.
  line: (
    <>
      <path d="M0 3.5h12" strokeWidth="0.75" strokeDasharray="1 2" />
      <path d="M0 10.5h5.5v-7H12" strokeWidth="1.25" />
    </>
  ),
  begin: <path d="M2.5 1v10M2.5 8.5h3.5V5h6" strokeWidth="1.25" />,
  end: <path d="M0 8.5h3.5V5h6M9.5 1v10" strokeWidth="1.25" />,
  trace: <path d="M0 9h4V6h4V3h4" strokeWidth="1.25" />,
  gap: <path d="M0 8h3.5M8.5 4H12M6 1v1M6 5v1M6 9v1" strokeWidth="1.25" />,
  sheet: <path d="M2.5.5h5l2 2v9h-7zM4.5 5h3M4.5 7.5h3" />,
  command: <path d="M1 2.5h10v6H5.5L3 11V8.5H1z" strokeWidth="1.25" />,
  thrash: <path d={TROUBLE_PATH.thrash} strokeWidth="1.25" strokeLinejoin="bevel" />,
  cache_storm: <path d={TROUBLE_PATH.cache_storm} strokeWidth="1.25" strokeLinejoin="bevel" />,
  'no-sheet': (
    <>
      <path d="M2.5.5h5l2 2v9h-7z" stroke="var(--ink2)" strokeDasharray="1.5 1.5" />
      <path d="M1 11.5l10-11" />
    </>
  ),
};

/** A compaction. Without a boundary (pending, blocked or failed) it has no hatch. */
function tear(event: SessionEvent) {
  const shared = { from: 0, to: 12, direction: 'vertical' } as const;
  const edges = [2, 10].map((at) => tornEdgePath({ ...shared, at, seed: `${event.id}${at}` }));
  const isBoundary = boundaryOf(event) !== null;
  return (
    <>
      <path d={edges.join('')} stroke="var(--ink3)" strokeWidth="0.75" />
      {isBoundary && <path d={hatchPath({ x: 3, y: 1, width: 6, height: 10 })} strokeWidth="0.9" />}
    </>
  );
}
