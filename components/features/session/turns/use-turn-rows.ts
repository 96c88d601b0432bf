'use client';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { TurnList } from '@/core/api/responses';
import type { TurnRow } from '@/core/api/session';
import { useDebounced } from '../../../ui/use-deferred';
import { readPart } from '../session-reads';

const PAGE_TURNS = 100;
/** A page is read once scrolling rests for this long, milliseconds. */
const REST_MS = 60;
const KEPT_MS = 60_000;

export interface TurnFilter {
  id: string;
  chain: string;
  context: number | null;
}

export function readTurns({ id, ...filter }: TurnFilter, params: Record<string, string | number>) {
  return readPart<TurnList>(id, 'turns', { counted: 'yes', ...filter, ...params });
}

/** Numbers of the first and the last turn of a filter, inclusive. */
export interface TurnExtent {
  first: number;
  last: number;
}

/** Turns by number, read a page at a time around the visible rows. */
export function useTurnPages(filter: TurnFilter, extent: TurnExtent, visible: { from: number; to: number }) {
  const { id, chain, context } = filter;
  const { first, last } = extent;
  const client = useQueryClient();
  const pageOf = (turn: number) => Math.floor((turn - first) / PAGE_TURNS);
  const wanted = useDebounced(`${pageOf(visible.from)} ${pageOf(Math.min(visible.to, last))}`, REST_MS);
  const [from = 0, to = 0] = wanted.split(' ').map(Number);
  const turnsKey = ['sessions', id, 'turns', chain, context, first];
  const pages = useQueries({
    queries: Array.from({ length: to - from + 1 }, (_, index) => ({
      queryKey: [...turnsKey, from + index],
      queryFn: readTurns(filter, { turn: first + (from + index) * PAGE_TURNS, limit: PAGE_TURNS }),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: KEPT_MS,
    })),
  });
  // The last page grows with the session.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `last` says when it has grown
  useEffect(() => {
    void client.invalidateQueries({ queryKey: [...turnsKey, pageOf(last)] });
  }, [last]);

  return {
    /** Undefined: not read yet. */
    turnAt: (turn: number): TurnRow | undefined => {
      // A late turn moves those behind it within their page.
      return pages[pageOf(turn) - from]?.data?.turns.find(({ number }) => number === turn);
    },
    failed: pages.some(({ isError }) => isError),
    retry: () => {
      for (const page of pages) if (page.isError) void page.refetch();
    },
  };
}

export const ROW_PX = 26;
const HEAD_PX = 28;
const FIRST_RECT = { width: 1_000, height: 420 };

/**
 * The place in a table of turns: which rows are seen, and how to get to another.
 * @param active index of the row that has the focus, which stays rendered; null: none
 */
export function useTurnScroll(count: number, active: number | null) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
    initialRect: FIRST_RECT,
    // The head sticks over the first rows.
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
    /** Indexes of the rows that are seen; the last may be half of one. */
    seen: {
      from: Math.floor(offset / ROW_PX),
      to: Math.min(count - 1, Math.floor((offset + viewPx) / ROW_PX)),
    },
    scrollTo: (index: number, align: 'auto' | 'center') => virtual.scrollToIndex(index, { align }),
  };
}
