'use client';
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { SessionEvent } from '@/core/events/event';
import { useTimeZone } from '../../data/use-time-zone';
import { usePlace } from '../../ui/use-place';
import { useRowKeys } from '../../ui/use-row-keys';
import { prepareRows } from './prepare-rows';
import { StreamDay, StreamEvent } from './stream-row';
import type { useHolding } from './use-holding';

const FIRST_PLACE = { top: 0, rowPx: 32 };
/** Rows that the server renders: a screenful. */
const FIRST_RECT = { width: 1440, height: 1100 };
/** Older events are asked for so many rows before the end. */
const AHEAD_ROWS = 30;

interface StreamListProps {
  /** The newest first. */
  events: readonly SessionEvent[];
  /** Whether there are older ones, so that the number of rows is not known. */
  hasOlder: boolean;
  isBusy: boolean;
  /** The last rows are almost visible. */
  onEnd: () => void;
  handlers: ReturnType<typeof useHolding>['focusHandlers'];
}

/** Events as a table of which only the rows on screen exist. */
export function StreamList({ events, hasOlder, isBusy, onEnd, handlers }: StreamListProps) {
  const zone = useTimeZone();
  const rows = useMemo(() => prepareRows(events, zone), [events, zone]);
  const body = useRef<HTMLTableSectionElement>(null);
  const { top, rowPx } = usePlace(body, FIRST_PLACE);
  const focused = useRef<string | null>(null);
  const rangeExtractor = useCallback(
    (range: Range) => {
      const shown = defaultRangeExtractor(range);
      const kept = rows.findIndex(({ key }) => key === focused.current);
      // The row with the focus stays, or the focus would fall to the page when it scrolls away.
      if (focused.current !== null && kept !== -1 && !shown.includes(kept)) shown.push(kept);
      return shown;
    },
    [rows],
  );
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: 8,
    scrollMargin: top,
    initialRect: FIRST_RECT,
    rangeExtractor,
    getItemKey: (index) => rows[index]?.key ?? index,
  });
  const list = useRef<HTMLTableElement>(null);
  useRowKeys({
    list,
    count: events.length,
    scrollTo: (index) =>
      virtual.scrollToIndex(rows.findIndex((row) => row.type === 'event' && row.index === index)),
  });
  const items = virtual.getVirtualItems();
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
      className="stream block"
    >
      <thead className="sticky top-[40px] z-20 block bg-paper">
        <tr className="stream-head h-[26px] border-t border-b border-t-ink border-b-hair2 text-small text-ink2">
          <th scope="col" className="c-time">
            time
          </th>
          <th scope="col" className="c-age">
            when
          </th>
          <th scope="col" className="c-kind">
            event
          </th>
          <th scope="col" className="c-what">
            what happened
          </th>
          <th scope="col" className="c-session">
            session
          </th>
          <th scope="col" className="c-chain">
            chain
          </th>
        </tr>
      </thead>
      <tbody
        ref={body}
        className="relative block"
        style={{ height: `calc(var(--row) * ${rows.length})` }}
        onFocus={(event) => {
          handlers.onFocus();
          focused.current = event.target.closest<HTMLElement>('[data-event]')?.dataset.event ?? null;
        }}
        onBlur={(event) => {
          handlers.onBlur(event);
          focused.current = null;
        }}
      >
        {items.map(({ index, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return row.type === 'day' ? (
            <StreamDay key={key} label={row.label} place={index} />
          ) : (
            <StreamEvent key={key} event={row.event} index={row.index} place={index} zone={zone} />
          );
        })}
      </tbody>
    </table>
  );
}
