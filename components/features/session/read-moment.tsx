'use client';
import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { SeriesPoint } from '@/core/api/series';
import { callEntryNear, firstLineOf, transcriptAt } from '../../data/message-at';
import { sessionTranscriptsQuery } from '../../data/session-transcripts';
import { entriesQuery, pageOfEntry, wholeOutlineQuery } from '../../data/transcript-queries';
import { visibleText } from '../../format/visible-text';
import { useDebounced } from '../../ui/use-deferred';
import type { Sheet } from './prepare-sheet';
import { useSessionPage } from './session-page';

interface MomentProps {
  sheet: Sheet;
  point: SeriesPoint;
}

/** Place beside a turn, on the side with more room; null: the turn is not in view. */
function placeBeside({ frame, scale }: Sheet, point: SeriesPoint, top: number) {
  const x = frame.x(scale.x(point));
  if (x < frame.left || x > frame.right) return null;
  const isLeft = x > (frame.left + frame.right) / 2;
  return { className: isLeft ? '-translate-x-full' : '', style: { left: x + (isLeft ? -6 : 6), top } };
}

function useTranscriptAt(point: SeriesPoint | null) {
  const { session } = useSessionPage();
  const { data = [] } = useQuery({
    ...sessionTranscriptsQuery(session.id, 'turns'),
    enabled: point !== null,
  });
  return point && transcriptAt(data, point.t);
}

/** A link from the clicked turn to its message, if a stored transcript has it. */
export function ReadMoment({ sheet, point }: MomentProps) {
  const found = useTranscriptAt(point);
  const place = placeBeside(sheet, point, sheet.frame.bottom - 62);
  if (found === null || place === null) return null;
  return (
    <Link
      href={`/transcripts/${found.id}?at=${Math.round(point.t)}`}
      prefetch={false}
      // The sheet would capture the pointer.
      onPointerDown={(event) => event.stopPropagation()}
      onPointerUp={(event) => event.stopPropagation()}
      className={`button absolute z-20 bg-paper ${place.className}`}
      style={place.style}
    >
      Read turn {point.n}
    </Link>
  );
}

/** How long the pointer must rest before the message loads, milliseconds. */
const REST_MS = 200;

/** The first line of the message at the crosshair, if a stored transcript has it. */
export function MomentPreview({ sheet, point }: MomentProps) {
  const rested = useDebounced<SeriesPoint | null>(point, REST_MS);
  const row = useTranscriptAt(rested);
  const outline = useQuery({ ...wholeOutlineQuery(row?.id ?? ''), enabled: row !== null }).data;
  const entry = rested && outline ? callEntryNear(outline, rested.t) : null;
  const page = useQuery({
    ...entriesQuery(row?.id ?? '', false, pageOfEntry(entry ?? 0)),
    enabled: entry !== null,
  }).data;
  const message = entry === null ? undefined : page?.get(entry);
  const line = message === undefined ? '' : firstLineOf(message);
  const place = placeBeside(sheet, point, sheet.frame.bottom - 26);
  if (rested?.n !== point.n || line === '' || place === null) return null;
  return (
    <p
      role="note"
      aria-label="Message at the crosshair"
      className={`pointer-events-none absolute z-10 max-w-[min(420px,45%)] truncate bg-paper px-[4px] text-small text-ink2 ${place.className}`}
      style={place.style}
    >
      <bdi>{visibleText(line.slice(0, 200))}</bdi>
    </p>
  );
}
