import { KINDS } from '@/core/events/kinds';
import { troubleSentence } from '@/core/events/trouble-sentence';
import { FiguresText } from '../../ui/figures-text';
import { TroubleGlyph } from '../../ui/glyphs';
import type { Sheet } from './prepare-sheet';
import { useSessionPage } from './session-page';

/** Current trouble of the session, with a link to its event. */
export function TroubleLine() {
  const { session, data, change } = useSessionPage();
  const { trouble, liveness } = session;
  if (trouble === null || liveness === 'ended') return null;
  const event = data.events.findLast(
    ({ kind, chain, turn }) => kind === trouble.kind && chain === 'main' && turn === trouble.turn,
  );
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-[8px] border-b border-hair py-[8px]">
      <TroubleGlyph kind={trouble.kind} />
      <b>{KINDS[trouble.kind].label}</b>
      <span>
        <FiguresText text={trouble.sentence} />
      </span>
      {event === undefined ? null : (
        <button
          type="button"
          className="link text-small text-ink2"
          onClick={() => change({ event: event.id })}
        >
          show event
        </button>
      )}
    </p>
  );
}

/** Width of a mark that a finger tip can hit, pixels. Of marks that would overlap, the newest is drawn. */
const MARK_WIDTH = 18;

/** Marks of trouble at the top of the trace: the reason on hover, the event on press. */
export function TroubleMarks({ sheet: { frame, xDomain, scale } }: { sheet: Sheet }) {
  const { data, change } = useSessionPage();
  const marks = data.events
    .flatMap((event) => {
      if (event.chain !== 'main' || (event.kind !== 'thrash' && event.kind !== 'cache_storm')) return [];
      const place = scale.momentX({ at: Date.parse(event.at), turn: event.turn });
      return place > xDomain[0] && place < xDomain[1] ? [{ event, x: frame.x(place) }] : [];
    })
    .sort((a, b) => a.x - b.x);
  return marks.map(({ event, x }, index) => {
    const next = marks[index + 1];
    if (next && next.x - x < MARK_WIDTH) return null;
    const { label } = KINDS[event.kind];
    const sentence = troubleSentence(event);
    return (
      <button
        key={event.id}
        type="button"
        // A press on the sheet below would start a zoom.
        onPointerDown={(press) => press.stopPropagation()}
        onPointerUp={(press) => press.stopPropagation()}
        onClick={() => change({ event: event.id })}
        aria-label={`${label}: ${sentence}`}
        title={`${label}: ${sentence}`}
        className="absolute z-10 flex h-[18px] w-[18px] items-center justify-center bg-paper hover:z-20 focus-visible:z-20"
        style={{ left: x - MARK_WIDTH / 2, top: frame.top + 2 }}
      >
        <TroubleGlyph kind={event.kind} />
      </button>
    );
  });
}
