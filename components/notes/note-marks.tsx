'use client';
import type { Note } from '@/core/api/notes';
import { type AxisKind, pointX } from '../charts/chart-scale';
import { formatClock } from '../format/format-time';
import { excerpt, type NotesPlace, type PlacedNotes, placeNotes } from './place-notes';
import type { Notes } from './use-notes';

interface NoteMarksProps {
  sheet: Pick<NotesPlace, 'frame' | 'xDomain' | 'unit' | 'points'>;
  notes: Notes;
  axis: AxisKind;
  limit: number | null;
  zone: string;
}

/** The sheet below takes a press for the beginning of a zoom. */
const OWN_PRESS = {
  onPointerDown: (event: React.PointerEvent) => event.stopPropagation(),
  onPointerUp: (event: React.PointerEvent) => event.stopPropagation(),
};

/** A slip of paper on the trace for each note, its text on hover and focus; and where one can be written. */
export default function NoteMarks({ sheet, notes, axis, limit, zone }: NoteMarksProps) {
  const { frame, xDomain, unit, points } = sheet;
  const placed = placeNotes(notes.list, { frame, xDomain, axis, unit, points, limit });
  const middle = (frame.left + frame.right) / 2;
  const { picked } = notes;
  const pickedX = picked === null ? null : frame.x(pointX(picked, axis));
  return (
    <>
      {placed.map((mark) => (
        <Mark
          key={mark.id}
          mark={mark}
          top={frame.top}
          bottom={frame.bottom}
          isLeft={mark.x > middle}
          isSelected={mark.notes.some(({ id }) => id === notes.selectedId)}
          zone={zone}
          select={() => notes.select(mark.id)}
        />
      ))}
      {picked === null || pickedX === null || pickedX < frame.left || pickedX > frame.right ? null : (
        <button
          type="button"
          {...OWN_PRESS}
          onClick={() => {
            notes.open({ type: 'new', point: picked });
            notes.pick(null);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') notes.pick(null);
          }}
          className={`button absolute z-20 ${pickedX > middle ? '-translate-x-full' : ''}`}
          style={{ left: pickedX + (pickedX > middle ? -6 : 6), top: frame.bottom - 30 }}
        >
          Note this moment
          <span className="key max-md:hidden" aria-hidden="true">
            n
          </span>
        </button>
      )}
    </>
  );
}

interface MarkProps {
  mark: PlacedNotes;
  top: number;
  bottom: number;
  /** The text is to the left of the mark. */
  isLeft: boolean;
  isSelected: boolean;
  zone: string;
  select: () => void;
}

const SIZE = 20;
/** From the trace to the slip. */
const LEADER = 7;

function Mark({ mark, top, bottom, isLeft, isSelected, zone, select }: MarkProps) {
  const { x, y, notes } = mark;
  const foot = y ?? bottom;
  // Above the trace, or below it where the plot ends.
  const isAbove = foot - LEADER - SIZE > top + 18;
  const slipTop = isAbove ? foot - LEADER - SIZE + 4 : foot + LEADER - 4;
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
        aria-label={`${notes.length === 1 ? 'Note' : `${notes.length} notes`}: ${notes.map((note) => spoken(note, zone)).join('; ')}`}
        aria-pressed={isSelected}
        className="group absolute z-10 flex items-center justify-center hover:z-30 focus-visible:z-30"
        style={{ left: x - SIZE / 2, top: slipTop, width: SIZE, height: SIZE }}
      >
        <svg width="13" height="13" viewBox="0 0 13 13" aria-hidden="true" strokeLinejoin="miter">
          <path
            d="M1.5 1.5h10v7l-3 3h-7z"
            fill={isSelected ? 'var(--ink)' : 'var(--paper)'}
            stroke="var(--ink)"
            strokeWidth="1"
          />
          {notes.length === 1 ? (
            <path
              d="M3.5 4.5h6M3.5 7h3.5"
              stroke={isSelected ? 'var(--paper)' : 'var(--ink2)'}
              strokeWidth=".9"
              fill="none"
            />
          ) : (
            <text
              x="6"
              y="9.2"
              textAnchor="middle"
              className="chart-label chart-num"
              style={{ fontSize: '8px', fill: isSelected ? 'var(--paper)' : 'var(--ink)' }}
            >
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

function spoken({ at, author, text }: Note, zone: string): string {
  return `${formatClock(at, zone)}${author === null ? '' : `, ${author}`}: ${excerpt(text)}`;
}
