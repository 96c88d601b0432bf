import type { PressureState } from '@/core/accounting/types';
import type { SessionEvent } from '@/core/events/event';
import { boundaryOf, type EventIcon, KINDS } from '@/core/events/kinds';
import { hatchPath, tornEdgePath } from '../charts/torn-edge';
import { StateGlyph, TROUBLE_PATH } from '../ui/glyphs';

/** The event's icon, 12 px: a state, the mark it has on the chart, or a small drawing. */
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
  const isUndone = icon === 'tear' && boundaryOf(event) === null;
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" fill="none" stroke="var(--ink)" aria-hidden="true">
      {draw(isUndone ? 'no-tear' : icon, event.id)}
    </svg>
  );
}

function stateOf(event: SessionEvent): PressureState {
  if (event.kind === 'state_changed') return event.detail.to;
  return event.kind === 'redlined' ? 'redlined' : 'untracked';
}

function draw(sign: Exclude<EventIcon, 'state'>, seed: string): React.ReactNode {
  switch (sign) {
    case 'tear':
      return (
        <>
          <Edges seed={seed} />
          <path d={hatchPath({ x: 3, y: 1, width: 6, height: 10 })} strokeWidth="0.9" />
        </>
      );
    // Pending, blocked or failed: nothing was torn off.
    case 'no-tear':
      return <Edges seed={seed} />;
    case 'restart':
      return <path d="M4.25 0v12M7.75 0v12" />;
    case 'clear':
      return <path d="M6 0v12" strokeDasharray="1 3" />;
    case 'notch':
      return (
        <>
          <path d="M2 1h8L6 6z" fill="var(--ink2)" stroke="none" />
          <path d="M6 7v5" strokeDasharray="1 2" />
        </>
      );
    // The restart line, and the trace that reaches it.
    case 'line':
      return (
        <>
          <path d="M0 3.5h12" strokeWidth="0.75" strokeDasharray="1 2" />
          <path d="M0 10.5h5.5v-7H12" strokeWidth="1.25" />
        </>
      );
    case 'begin':
      return <path d="M2.5 1v10M2.5 8.5h3.5V5h6" strokeWidth="1.25" />;
    case 'end':
      return <path d="M0 8.5h3.5V5h6M9.5 1v10" strokeWidth="1.25" />;
    case 'trace':
      return <path d="M0 9h4V6h4V3h4" strokeWidth="1.25" />;
    case 'gap':
      return <path d="M0 8h3.5M8.5 4H12M6 1v1M6 5v1M6 9v1" strokeWidth="1.25" />;
    case 'sheet':
      return <path d="M2.5.5h5l2 2v9h-7zM4.5 5h3M4.5 7.5h3" />;
    case 'thrash':
    case 'cache_storm':
      return <path d={TROUBLE_PATH[sign]} strokeWidth="1.25" strokeLinejoin="bevel" />;
    case 'no-sheet':
      return (
        <>
          <path d="M2.5.5h5l2 2v9h-7z" stroke="var(--ink2)" strokeDasharray="1.5 1.5" />
          <path d="M1 11.5l10-11" />
        </>
      );
  }
}

function Edges({ seed }: { seed: string }) {
  return [2, 10].map((at) => (
    <path
      key={at}
      d={tornEdgePath({ seed: `${seed}${at}`, from: 0, to: 12, at, direction: 'vertical' })}
      stroke="var(--ink3)"
      strokeWidth="0.75"
    />
  ));
}
