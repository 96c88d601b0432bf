import type { SessionEvent } from '@/core/events/event';
import { KINDS } from '@/core/events/kinds';
import { momentX } from '../../charts/chart-scale';
import { listTroubles, type PlacedTrouble, placeTroubles } from '../../charts/list-marks';
import { TroubleGlyph } from '../../ui/glyphs';
import type { Sheet } from './prepare-sheet';
import type { SessionUrl } from './session-url';

interface TroubleMarksProps {
  sheet: Sheet;
  events: readonly SessionEvent[];
  url: SessionUrl;
  change: (change: Partial<SessionUrl>) => void;
}

/** Marks of trouble at the top of the trace: the reason on hover, the event on press. */
export default function TroubleMarks({ sheet, events, url, change }: TroubleMarksProps) {
  const { frame, xDomain } = sheet;
  const marks = listTroubles(events)
    .map((mark) => ({ ...mark, x: momentX(mark, url.axis) }))
    .filter(({ x }) => x > xDomain[0] && x < xDomain[1])
    .map((mark) => ({ ...mark, x: frame.x(mark.x) }))
    .sort((a, b) => a.x - b.x);
  const middle = (frame.left + frame.right) / 2;
  return placeTroubles(marks).map((mark) => (
    <Mark
      key={mark.id}
      mark={mark}
      top={frame.top + 2}
      isLeft={mark.x > middle}
      open={() => change({ event: mark.id })}
    />
  ));
}

interface MarkProps {
  mark: PlacedTrouble;
  top: number;
  /** The sentence is to the left of the mark. */
  isLeft: boolean;
  open: () => void;
}

function Mark({ mark, top, isLeft, open }: MarkProps) {
  const { kind, sentence, more, x } = mark;
  return (
    <button
      type="button"
      // The sheet below takes a press for the beginning of a zoom.
      onPointerDown={(event) => event.stopPropagation()}
      onPointerUp={(event) => event.stopPropagation()}
      onClick={open}
      aria-label={`${KINDS[kind].label}: ${sentence}`}
      className="group absolute z-10 flex h-[18px] w-[18px] items-center justify-center bg-paper hover:z-20 focus-visible:z-20"
      style={{ left: x - 9, top }}
    >
      <TroubleGlyph kind={kind} />
      <span
        aria-hidden="true"
        className={`absolute top-[20px] hidden w-max max-w-[min(340px,60vw)] border border-hair2 bg-raised px-[8px] py-[4px] text-left text-small whitespace-normal group-hover:block group-focus-visible:block ${isLeft ? 'right-0' : 'left-0'}`}
      >
        <b>{KINDS[kind].label}</b> {sentence}
        {more === 0 ? null : <span className="text-ink2"> {more} more just before.</span>}
      </span>
    </button>
  );
}
