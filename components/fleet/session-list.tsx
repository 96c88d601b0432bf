'use client';
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Session } from '@/core/api/session';
import { useUnhurried } from '../ui/use-unhurried';
import { ChosenBar } from './chosen-bar';
import type { FilterChoices } from './filter-choices';
import { type FleetQuery, writeFleetQuery } from './fleet-query';
import { ListHead, MovedButton } from './list-head';
import { createRowSlots } from './row-slots';
import { SessionRow } from './session-row';
import { useAfterPaint } from './use-after-paint';
import { useAxisNow } from './use-axis-now';
import { useChosen } from './use-chosen';
import { useHeldOrder } from './use-held-order';
import { usePlace } from './use-place';
import { useRowKeys } from './use-row-keys';
import { useWidth } from './use-width';

const ROW_PX = { wide: 36, narrow: 70 };
/** Where they begin below barcode, next to go and counts. */
const FIRST_TOP = 440;
const AXIS_STEP_MS = 15_000;
/** Rows that the server renders: a screenful. */
const FIRST_RECT = { width: 1440, height: 1100 };
/** Rows beyond the screen's edges, once what is on screen is there. */
const OVERSCAN = 4;

interface SessionListProps {
  /** In the order they should have. */
  sessions: readonly Session[];
  byId: ReadonlyMap<string, Session>;
  /** Ids of the sessions that go next. */
  next: readonly string[];
  /** What the viewer asked for last, and what `sessions` answers. */
  asked: FleetQuery;
  query: FleetQuery;
  change: (part: Partial<FleetQuery>) => void;
  choices: FilterChoices;
}

/** All sessions as a table of which only the rows on screen exist. */
export function SessionList({ sessions, byId, next, asked, query, change, choices }: SessionListProps) {
  const wanted = useMemo(() => sessions.map(({ id }) => id), [sessions]);
  const question = writeFleetQuery(query);
  const { order, moved, release, handlers } = useHeldOrder(wanted, question);
  // First what is on screen: rows that nobody sees must not make an answer late.
  const isShown = useAfterPaint<string | null>(question, null) === question;
  const body = useRef<HTMLTableSectionElement>(null);
  const traceHead = useRef<HTMLDivElement>(null);
  const traceWidth = useWidth(traceHead, 128);
  const now = useUnhurried(useAxisNow(AXIS_STEP_MS));
  const { top, rowPx } = usePlace(body, ROW_PX, FIRST_TOP);
  const focused = useRef<number | null>(null);

  const rangeExtractor = useCallback((range: Range) => {
    const rows = defaultRangeExtractor(range);
    const kept = focused.current;
    // The row with the focus stays, or the focus would fall to the page when it scrolls away.
    if (kept !== null && kept < range.count && !rows.includes(kept)) rows.push(kept);
    return rows;
  }, []);
  const virtual = useWindowVirtualizer({
    count: order.length,
    estimateSize: () => rowPx,
    overscan: isShown ? OVERSCAN : 0,
    scrollMargin: top,
    initialRect: FIRST_RECT,
    rangeExtractor,
    // What a scroll uncovers is drawn in a task after its frame: the rows beyond the edges are there for that one.
    useFlushSync: false,
  });
  // Rows are keyed below: a key of the list's own would have all ten thousand places measured at each look.
  useLayoutEffect(() => {
    if (rowPx > 0) virtual.measure();
  }, [virtual, rowPx]);
  const list = useRef<HTMLTableElement>(null);
  const [slotsOf] = useState(createRowSlots);
  const { chosen, toggle, clear } = useChosen();
  useRowKeys({
    list,
    count: order.length,
    scrollTo: (index) => virtual.scrollToIndex(index),
    choose: (index) => {
      const id = order[index];
      if (id !== undefined) toggle(id);
    },
  });

  const drawn = virtual.getVirtualItems().flatMap(({ index }) => {
    const id = order[index];
    const session = id === undefined ? undefined : byId.get(id);
    return session === undefined ? [] : [{ index, session }];
  });
  const slots = slotsOf(drawn.map(({ session }) => session.id));

  return (
    <>
      <div className="sticky top-0 z-20 h-0 md:hidden">
        <MovedButton moved={moved} release={release} className="absolute top-[7px] right-0" />
      </div>
      <table ref={list} aria-label="Sessions" aria-rowcount={order.length + 1} className="session-list block">
        <thead className="sticky top-[40px] z-20 block bg-paper max-lg:top-0">
          <ListHead
            query={asked}
            change={change}
            choices={choices}
            moved={moved}
            release={release}
            traceHead={traceHead}
          />
        </thead>
        <tbody
          ref={body}
          className="relative block"
          style={{ height: `calc(var(--row) * ${order.length})` }}
          {...handlers}
          onFocus={(event) => {
            handlers.onFocus();
            const row = event.target.closest<HTMLElement>('[data-row]')?.dataset.row;
            focused.current = row === undefined ? null : Number(row);
          }}
          onBlur={(event) => {
            handlers.onBlur(event);
            focused.current = null;
          }}
        >
          {drawn.map(({ index, session }, place) => {
            const rank = next.indexOf(session.id);
            return (
              <SessionRow
                key={slots[place]}
                session={session}
                rank={rank === -1 ? null : rank + 1}
                index={index}
                now={now}
                traceWidth={traceWidth}
                isChosen={chosen.includes(session.id)}
                choose={toggle}
              />
            );
          })}
        </tbody>
      </table>
      <ChosenBar chosen={chosen.flatMap((id) => byId.get(id) ?? [])} clear={clear} />
    </>
  );
}
