'use client';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { TurnList } from '@/core/api/responses';
import type { TurnRow } from '@/core/api/session';
import { formatExact } from '../../../format/format-tokens';
import { useDebounced } from '../../../ui/use-deferred';
import { useSessionPage } from '../session-page';
import { readPart } from '../session-reads';
import { goToMoment } from '../sheet-controls';
import { TURN_COLUMNS } from './turn-columns';

/** Numbers of the first and the last turn, inclusive. */
interface TurnExtent {
  first: number;
  last: number;
}

interface TurnsTableProps {
  chain: string;
  extent: TurnExtent;
  /** The turn to scroll to; the table scrolls once per object. */
  target: { turn: number } | null;
}

const GRID = 'grid min-w-[920px] items-center';
const gridTemplateColumns = ['76px', ...TURN_COLUMNS.map(({ width }) => width)].join(' ');
const columnSide = (isText = false) => (isText ? 'pl-[16px] min-w-0' : 'text-right');

/** A virtual table of turns. Arrow, Page, Home and End keys move; Enter shows a turn on the sheet. */
export function TurnsTable({ chain, extent, target }: TurnsTableProps) {
  const { session, points, change, zone } = useSessionPage();
  const { lens } = session;
  const count = extent.last - extent.first + 1;
  const [active, setActive] = useState<number | null>(null);
  const wantsFocus = useRef(false);
  const list = useRef<HTMLTableElement>(null);
  const { scroller, items, seen, scrollTo } = useTurnScroll(count, active);
  const { turnAt, failed, retry } = useTurnPages(session.id, chain, extent, seen);

  const go = (index: number, align: 'auto' | 'center') => {
    const next = Math.max(0, Math.min(index, count - 1));
    wantsFocus.current = true;
    setActive(next);
    scrollTo(next, align);
  };
  const [gone, setGone] = useState<TurnsTableProps['target']>(null);
  useLayoutEffect(() => {
    if (target === null || target === gone) return;
    setGone(target);
    go(target.turn - extent.first, 'center');
  });
  useLayoutEffect(() => {
    if (!wantsFocus.current || active === null) return;
    const button = list.current?.querySelector<HTMLElement>(`[data-turn="${extent.first + active}"]`);
    if (!button) return;
    wantsFocus.current = false;
    button.focus({ preventScroll: true });
  });

  const perPage = Math.max(1, seen.to - seen.from - 1);
  const walk = (event: React.KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const at = active ?? seen.from;
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + perPage,
      PageUp: at - perPage,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to, 'auto');
  };
  const show = (turn: TurnRow | undefined) => {
    if (turn === undefined) return;
    const times = points.map(({ t }) => t);
    change(goToMoment({ at: Date.parse(turn.at), spanMs: 1 }, times) ?? {});
  };
  const tabStop = active !== null && items.some(({ index }) => index === active) ? active : seen.from;

  return (
    <>
      <div ref={scroller} className="max-h-[446px] overflow-auto border-t border-hair2">
        <table
          ref={list}
          aria-label="Turns"
          aria-rowcount={count + 1}
          className="block min-w-[920px]"
          onKeyDown={walk}
        >
          <thead className="sticky top-0 z-10 block bg-paper">
            <tr
              aria-rowindex={1}
              className={`${GRID} h-[28px] border-b border-hair2 text-small text-ink2`}
              style={{ gridTemplateColumns }}
            >
              <th scope="col" className="pr-[8px] text-right font-normal">
                turn
              </th>
              {TURN_COLUMNS.map(({ header, isText }) => (
                <th key={header} scope="col" className={`font-normal ${columnSide(isText)}`}>
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="relative block overflow-clip" style={{ height: count * ROW_PX }}>
            {items.map(({ index }) => {
              const number = extent.first + index;
              const turn = turnAt(number);
              return (
                <tr
                  key={number}
                  aria-rowindex={index + 2}
                  className={`${GRID} absolute inset-x-0 border-b border-hair hover:bg-sunken`}
                  style={{ gridTemplateColumns, top: index * ROW_PX, height: ROW_PX }}
                >
                  <th scope="row" className="pr-[8px] text-right font-normal">
                    <button
                      type="button"
                      data-turn={number}
                      tabIndex={index === tabStop ? 0 : -1}
                      title="Show on the chart"
                      aria-label={`Show turn ${number} on the chart`}
                      className="num -outline-offset-2 hover:underline hover:underline-offset-[3px]"
                      onFocus={() => setActive(index)}
                      onClick={() => show(turn)}
                    >
                      {formatExact(number)}
                    </button>
                  </th>
                  {TURN_COLUMNS.map(({ header, isText, draw }) => (
                    <td key={header} className={columnSide(isText)}>
                      {turn === undefined ? null : draw(turn, { lens, zone })}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {failed ? (
        <p role="alert" className="flex items-center gap-[12px] py-[6px]">
          These turns could not be read.
          <button type="button" className="button" onClick={retry}>
            Retry
          </button>
        </p>
      ) : null}
    </>
  );
}

const PAGE_TURNS = 100;
/** A page is read after a pause in scrolling of this length, milliseconds. */
const REST_MS = 60;
const KEPT_MS = 60_000;

/** Turns by number, read a page at a time around the visible rows. */
function useTurnPages(
  id: string,
  chain: string,
  { first, last }: TurnExtent,
  seen: { from: number; to: number },
) {
  const client = useQueryClient();
  const pageOf = (index: number) => Math.floor(index / PAGE_TURNS);
  const wanted = useDebounced(`${pageOf(seen.from)} ${pageOf(seen.to)}`, REST_MS);
  const [from = 0, to = 0] = wanted.split(' ').map(Number);
  const turnsKey = ['sessions', id, 'turns', chain, first];
  const pages = useQueries({
    queries: Array.from({ length: to - from + 1 }, (_, index) => ({
      queryKey: [...turnsKey, from + index],
      queryFn: readPart<TurnList>(id, 'turns', {
        counted: 'yes',
        chain,
        turn: first + (from + index) * PAGE_TURNS,
        limit: PAGE_TURNS,
      }),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: KEPT_MS,
    })),
  });
  const readTo = useRef(last);
  // The page of the former last turn and all later pages grow with the session.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a growing session invalidates
  useEffect(() => {
    const grown = pageOf(Math.min(readTo.current, last) - first);
    readTo.current = last;
    const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) => Number(queryKey.at(-1)) >= grown;
    void client.invalidateQueries({ queryKey: turnsKey, predicate });
  }, [last]);

  return {
    /** Undefined: not read yet. Turns are found by number, because a late turn moves all turns after it. */
    turnAt: (turn: number): TurnRow | undefined =>
      pages[pageOf(turn - first) - from]?.data?.turns.find(({ number }) => number === turn),
    failed: pages.some(({ isError }) => isError),
    retry: () => {
      for (const page of pages) if (page.isError) void page.refetch();
    },
  };
}

const ROW_PX = 26;
const HEAD_PX = 28;
const FIRST_RECT = { width: 1_000, height: 420 };

/** The visible rows, and a function to scroll to a row. @param active index of the focused row, which stays rendered */
function useTurnScroll(count: number, active: number | null) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
    initialRect: FIRST_RECT,
    // The sticky head covers the first rows.
    paddingStart: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
    rangeExtractor: (range: Range) => {
      const rows = defaultRangeExtractor(range);
      if (active !== null && active < range.count && !rows.includes(active)) rows.push(active);
      return rows;
    },
  });
  const offset = virtual.scrollOffset ?? 0;
  const viewPx = (virtual.scrollRect ?? FIRST_RECT).height - HEAD_PX;
  return {
    scroller,
    items: virtual.getVirtualItems(),
    /** Indexes of the visible rows; the last may be half visible. */
    seen: {
      from: Math.floor(offset / ROW_PX),
      to: Math.min(count - 1, Math.floor((offset + viewPx) / ROW_PX)),
    },
    scrollTo: (index: number, align: 'auto' | 'center') => virtual.scrollToIndex(index, { align }),
  };
}
