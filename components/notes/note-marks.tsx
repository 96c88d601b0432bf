'use client';
import { type AxisKind, pointX } from '../charts/chart-scale';
import { formatClock } from '../format/format-time';
import { NoteButton } from './notes-panel';
import { type NotesPlace, placeNotes } from './place-notes';
import type { Notes } from './use-notes';

interface NoteMarksProps {
  sheet: Pick<NotesPlace, 'frame' | 'xDomain' | 'unit' | 'points'>;
  notes: Notes;
  axis: AxisKind;
  limit: number | null;
  zone: string;
}

/** Stop the event here: the sheet below would start a zoom. */
const OWN_PRESS = {
  onPointerDown: (event: React.PointerEvent) => event.stopPropagation(),
  onPointerUp: (event: React.PointerEvent) => event.stopPropagation(),
};

/** A slip of paper on the trace for each note, with its text on hover and focus, and a button at the picked moment. */
export default function NoteMarks({ sheet, notes, axis, limit, zone }: NoteMarksProps) {
  const { frame } = sheet;
  const middle = (frame.left + frame.right) / 2;
  const { picked } = notes;
  const x = picked === null ? Number.NaN : frame.x(pointX(picked, axis));
  return (
    <>
      {placeNotes(notes.list, { ...sheet, axis, limit }).map((mark) => (
        <Mark
          key={mark.id}
          mark={mark}
          frame={frame}
          isLeft={mark.x > middle}
          isSelected={mark.notes.some(({ id }) => id === notes.selectedId)}
          zone={zone}
          select={() => notes.select(mark.id)}
        />
      ))}
      {notes.writable && x >= frame.left && x <= frame.right ? (
        <NoteButton
          {...OWN_PRESS}
          onClick={() => {
            notes.open(picked);
            notes.pick(null);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') notes.pick(null);
          }}
          className={`absolute z-20 ${x > middle ? '-translate-x-full' : ''}`}
          style={{ left: x + (x > middle ? -6 : 6), top: frame.bottom - 30 }}
        />
      ) : null}
    </>
  );
}

interface MarkProps {
  mark: ReturnType<typeof placeNotes>[number];
  frame: NotesPlace['frame'];
  isLeft: boolean;
  isSelected: boolean;
  zone: string;
  select: () => void;
}

const SIZE = 20;
/** Distance from the trace to the slip, pixels. */
const LEADER = 7;

function Mark({ mark: { x, y, notes }, frame, isLeft, isSelected, zone, select }: MarkProps) {
  const foot = y ?? frame.bottom;
  // Above the trace, or below it near the top of the plot.
  const isAbove = foot - LEADER - SIZE > frame.top + 18;
  const [paper, ink, ink2] = isSelected
    ? ['var(--ink)', 'var(--paper)', 'var(--paper)']
    : ['var(--paper)', 'var(--ink)', 'var(--ink2)'];
  const spoken = notes.map(
    ({ at, author, text }) =>
      `${formatClock(at, zone)}${author === null ? '' : `, ${author}`}: ${excerpt(text)}`,
  );
  return (
    <>
      <span
        aria-hidden="true"
        className="pointer-events-none absolute w-px bg-ink"
        style={{ left: x - 0.5, top: isAbove ? foot - LEADER : foot, height: LEADER }}
      />
      <button
        type="button"
        {...OWN_PRESS}
        onClick={select}
        aria-label={`${notes.length === 1 ? 'Note' : `${notes.length} notes`}: ${spoken.join('; ')}`}
        aria-pressed={isSelected}
        className="group absolute z-10 flex size-[20px] items-center justify-center hover:z-30 focus-visible:z-30"
        style={{ left: x - SIZE / 2, top: isAbove ? foot - LEADER - SIZE + 4 : foot + LEADER - 4 }}
      >
        <svg width="13" height="13" viewBox="0 0 13 13" aria-hidden="true" strokeLinejoin="miter">
          <path d="M1.5 1.5h10v7l-3 3h-7z" fill={paper} stroke="var(--ink)" strokeWidth="1" />
          {notes.length === 1 ? (
            <path d="M3.5 4.5h6M3.5 7h3.5" stroke={ink2} strokeWidth=".9" fill="none" />
          ) : (
            <text x="6" y="9.2" textAnchor="middle" className="chart-num text-[8px]" fill={ink}>
              {notes.length > 9 ? '9+' : notes.length}
            </text>
          )}
        </svg>
        <span
          aria-hidden="true"
          className={`absolute hidden w-max max-w-[min(340px,60vw)] border border-hair2 bg-raised px-[8px] py-[5px] text-left text-small whitespace-pre-wrap [overflow-wrap:anywhere] group-hover:block group-focus-visible:block ${isAbove ? 'bottom-[19px]' : 'top-[19px]'} ${isLeft ? 'right-0' : 'left-0'}`}
        >
          {notes.slice(0, 3).map((note) => (
            <span key={note.id} className="block not-first:mt-[6px]">
              {excerpt(note.text)}
              <span className="block text-ink2">
                {[note.author, formatClock(note.at, zone)].filter(Boolean).join(', ')}
              </span>
            </span>
          ))}
          {notes.length > 3 ? <span className="block text-ink2">{notes.length - 3} more</span> : null}
        </span>
      </button>
    </>
  );
}

function excerpt(text: string): string {
  return text.length <= 280 ? text : `${[...text].slice(0, 279).join('')}…`;
}
