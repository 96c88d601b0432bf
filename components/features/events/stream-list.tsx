'use client';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import Link from 'next/link';
import { memo, useEffect, useMemo, useRef } from 'react';
import type { SessionEvent } from '@/core/events/event';
import { useTimeZone } from '../../data/use-time-zone';
import { describeEvent } from '../../events/describe-event';
import { EventGlyph } from '../../events/event-glyph';
import { formatClockSeconds } from '../../format/format-time';
import { Ago } from '../../ui/ago';
import { FiguresText } from '../../ui/figures-text';
import { useKeptRow } from '../../ui/use-kept-row';
import { usePlace } from '../../ui/use-place';
import { useRowKeys } from '../../ui/use-row-keys';
import { prepareRows } from './events-query';
import type { useHolding } from './use-event-stream';

const FIRST_PLACE = { top: 0, rowPx: 32 };
/** The server renders one screen of rows. */
const FIRST_RECT = { width: 1440, height: 1100 };
/** Loading of older events starts this many rows before the end of the list. */
const AHEAD_ROWS = 30;

/** `--row` is the height of a row. The session is beside its fact; the fact gets the rest of the width. */
const STREAM =
  'stream block [--columns:62px_40px_132px_minmax(0,1fr)_minmax(0,1.4fr)] [--row:32px] max-md:[--row:52px] min-[1440px]:[--columns:62px_40px_132px_minmax(0,400px)_minmax(0,1fr)] min-[1920px]:[--columns:74px_50px_160px_minmax(0,500px)_minmax(0,1fr)] min-[1920px]:[--row:38px] min-[2880px]:[--columns:90px_60px_192px_minmax(0,600px)_minmax(0,1fr)] min-[2880px]:[--row:46px]';
const GRID = 'grid grid-cols-(--columns) items-center gap-x-[15px]';
/** On a phone: event and time, with the session below. */
const ROW = `stream-row ${GRID} max-md:grid-cols-[auto_minmax(0,1fr)_auto] max-md:grid-rows-[20px_20px] max-md:content-center max-md:gap-x-[10px] max-md:[grid-template-areas:'kind_what_time'_'session_session_session']`;

const HEADS = [
  ['time', 'text-right'],
  ['age', 'text-right'],
  ['event', 'text-left'],
  ['session', 'text-left'],
  ['what happened', 'text-left'],
] as const;

interface StreamListProps {
  /** Newest first. */
  events: readonly SessionEvent[];
  /** Older events exist, so the total number of rows is unknown. */
  hasOlder: boolean;
  isBusy: boolean;
  /** Called when the last rows are almost visible. */
  onEnd: () => void;
  handlers: ReturnType<typeof useHolding>['focusHandlers'];
}

export function StreamList({ events, hasOlder, isBusy, onEnd, handlers }: StreamListProps) {
  const zone = useTimeZone();
  const rows = useMemo(() => prepareRows(events, zone), [events, zone]);
  const body = useRef<HTMLTableSectionElement>(null);
  const { top, rowPx } = usePlace(body, FIRST_PLACE);
  const kept = useKeptRow();
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: 8,
    scrollMargin: top,
    initialRect: FIRST_RECT,
    rangeExtractor: kept.rangeExtractor,
    getItemKey: (index) => rows[index]?.key ?? index,
  });
  const list = useRef<HTMLTableElement>(null);
  useRowKeys({
    list,
    count: events.length,
    scrollTo: (index) =>
      virtual.scrollToIndex(rows.findIndex((row) => 'index' in row && row.index === index)),
  });
  const isNearEnd = (virtual.range?.endIndex ?? 0) >= rows.length - AHEAD_ROWS;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, onEnd]);

  return (
    <table
      ref={list}
      aria-label="Events"
      aria-busy={isBusy}
      aria-rowcount={hasOlder ? -1 : rows.length + 1}
      className={STREAM}
    >
      <thead className="sticky top-[40px] z-20 block bg-paper">
        <tr
          className={`${GRID} h-[26px] border-t border-b border-t-ink border-b-hair2 text-small text-ink2 max-md:hidden`}
        >
          {HEADS.map(([head, className]) => (
            <th key={head} scope="col" className={`font-normal whitespace-nowrap ${className}`}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody
        ref={body}
        className="relative block"
        style={{ height: `calc(var(--row) * ${rows.length})` }}
        onFocus={(event) => {
          handlers.onFocus();
          kept.onFocus(event);
        }}
        onBlur={(event) => {
          handlers.onBlur(event);
          kept.onBlur();
        }}
      >
        {virtual.getVirtualItems().map(({ index: place }) => {
          const row = rows[place];
          if (row === undefined) return null;
          return 'event' in row ? (
            <StreamEvent key={row.key} event={row.event} index={row.index} place={place} zone={zone} />
          ) : (
            <tr
              key={row.key}
              aria-rowindex={place + 2}
              className="absolute inset-x-0 flex h-(--row) items-end border-b border-hair2 pb-[3px] contain-layout contain-style"
              style={topOf(place)}
            >
              <th
                scope="rowgroup"
                colSpan={HEADS.length}
                className="text-left text-small font-normal text-ink2"
              >
                {row.day}
              </th>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Length of `14:03`. */
const MINUTES = 5;
const topOf = (place: number) => ({ top: `calc(var(--row) * ${place})` });

interface StreamEventProps {
  event: SessionEvent;
  /** `index` counts the events before this one, `place` all rows before it. */
  index: number;
  place: number;
  zone: string;
}

const StreamEvent = memo(function StreamEvent({ event, index, place, zone }: StreamEventProps) {
  const { name, text, note } = describeEvent(event);
  const clock = formatClockSeconds(event.at, zone);
  const title = event.sessionTitle ?? event.sessionKey;
  const notes = [note, event.chain === 'main' ? '' : `sub-agent ${event.chain}`].filter(
    (words) => words !== '',
  );
  return (
    <tr
      aria-rowindex={place + 2}
      data-index={place}
      data-row={index}
      data-event={event.id}
      className={ROW}
      style={topOf(place)}
    >
      <td className="num text-right max-md:[grid-area:time]">
        {clock.slice(0, MINUTES)}
        <span className="text-ink2">{clock.slice(MINUTES)}</span>
      </td>
      <td className="text-right text-small text-ink2 max-md:hidden">
        <Ago at={event.at} inRow />
      </td>
      <td className="flex items-center gap-[8px] *:first:shrink-0 max-md:[grid-area:kind]">
        <EventGlyph event={event} />
        <Link
          href={`/sessions/${event.sessionId}?event=${encodeURIComponent(event.id)}`}
          prefetch={false}
          aria-label={`${name}: ${[text, ...notes, title].join(', ')}`}
          className="truncate focus-visible:outline-none"
        >
          {name}
        </Link>
      </td>
      <td
        className="flex gap-[6px] max-md:pl-[20px] max-md:text-small max-md:text-ink2 max-md:[grid-area:session]"
        title={`${title} · ${event.project}`}
      >
        <span className="truncate">{title}</span>
        <span className="max-w-1/2 shrink-0 truncate text-small text-ink2">· {event.project}</span>
      </td>
      <td className="truncate max-md:[grid-area:what]" title={[text, ...notes].join(', ')}>
        <FiguresText text={text} />
        {notes.map((words) => (
          <span key={words} className="pl-[8px] text-small text-ink2">
            <FiguresText text={words} />
          </span>
        ))}
      </td>
    </tr>
  );
});
