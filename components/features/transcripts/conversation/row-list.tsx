'use client';
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  startTransition,
  useCallback,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { type ConversationRow, measureRows } from './prepare-rows';
import type { CallSteps } from './prepare-steps';
import { RowView } from './row-view';
import { useEntries, type WholeEntries } from './use-entries';

/** A place that was scrolled to is held for this time, while rows above it load and get their height. */
const HOLD_MS = 2_500;
const FIRST_RECT = { width: 1_000, height: 900 };
/** Rows drawn beyond the screen's edges: few at first, so that the visible ones appear sooner. */
const OVERSCAN = { first: 1, later: 6 };

export interface RowListHandle {
  scrollTo: (row: number) => void;
}

interface RowListProps {
  ref: React.Ref<RowListHandle>;
  id: string;
  rows: readonly ConversationRow[];
  outline: TranscriptOutline;
  steps: CallSteps;
  zone: string;
  isRaw: boolean;
  whole: WholeEntries;
  /** Height of the sticky bar above the rows, pixels. */
  stickyPx: number;
  /** The row a link or search points to; -1: none. */
  target: number;
  /** Called with the rows on screen, both ends included. */
  onSeen: (from: number, to: number) => void;
  /** Called once the first entries are drawn. */
  onDrawn: () => void;
}

/** The conversation as a virtual list. */
export function RowList(props: RowListProps) {
  const { ref, id, rows, outline, steps, zone, isRaw, whole, stickyPx, target, onSeen, onDrawn } = props;
  const body = useRef<HTMLOListElement>(null);
  const top = useTop(body);
  const focused = useRef(-1);
  const isDrawn = useDrawn();
  const measures = useMemo(() => measureRows(rows, outline), [rows, outline]);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: useCallback((index: number) => measures.heights[index] ?? 40, [measures]),
    overscan: isDrawn ? OVERSCAN.later : OVERSCAN.first,
    scrollMargin: top,
    scrollPaddingStart: stickyPx,
    initialRect: FIRST_RECT,
    // A new function would lay out all rows again.
    getItemKey: useCallback((index: number) => measures.keys[index] ?? -index, [measures]),
    rangeExtractor: useCallback((range: Range) => {
      const shown = defaultRangeExtractor(range);
      // Keep the focused row: the focus must not be lost when it scrolls away.
      const kept = focused.current;
      if (kept >= 0 && kept < range.count && !shown.includes(kept)) shown.push(kept);
      return shown;
    }, []),
  });
  const items = virtual.getVirtualItems();
  const seenFrom = virtual.range?.startIndex ?? 0;
  const seenTo = virtual.range?.endIndex ?? 0;
  const wanted = wantedEntries(rows, outline, seenFrom, seenTo);
  const { get, failed, retry } = useEntries(id, isRaw, wanted, outline.entries);
  const isLoaded = isDrawn && get(wanted[0] ?? -1) !== undefined;
  useEffect(() => {
    if (isLoaded) onDrawn();
  }, [isLoaded, onDrawn]);
  const read = useCallback((entry: number) => whole.get(entry) ?? get(entry), [whole, get]);

  useEffect(() => onSeen(seenFrom, seenTo), [onSeen, seenFrom, seenTo]);
  const hold = useHeldRow(virtual.getTotalSize(), items[0]?.start ?? 0, (row) =>
    virtual.scrollToIndex(row, { align: 'start' }),
  );
  useImperativeHandle(ref, () => ({ scrollTo: hold }));

  return (
    <>
      <ol
        ref={body}
        aria-label={isRaw ? 'Lines of the file' : 'Conversation'}
        className="relative"
        style={{ height: virtual.getTotalSize() }}
        onFocus={(event) => {
          focused.current = Number(event.target.closest<HTMLElement>('[data-index]')?.dataset.index ?? -1);
        }}
        onBlur={() => {
          focused.current = -1;
        }}
      >
        {items.map(({ index, key, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              data-index={index}
              data-line={outline.columns.line[row.entries[0] ?? 0] ?? 0}
              data-target={index === target ? '' : undefined}
              className={`conversation-row ${row.depth === 1 ? 'inner' : ''}`}
              style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
            >
              <RowView
                row={row}
                outline={outline}
                steps={steps}
                zone={zone}
                get={read}
                readAll={whole.read}
              />
            </li>
          );
        })}
      </ol>
      {/* After the rows, so that it sticks to the screen's bottom edge. */}
      {failed === null ? null : (
        <p role="alert" className="sticky bottom-0 z-10 border-t border-ink bg-paper py-[8px]">
          Part of the transcript could not be loaded. {failed.isRetried ? 'Retrying automatically. ' : ''}
          <span className="text-ink2">{failed.reason}</span>{' '}
          <button type="button" className="button ml-[8px]" onClick={retry}>
            Retry
          </button>
        </p>
      )}
    </>
  );
}

/** Whether the first rows were drawn. */
function useDrawn(): boolean {
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => startTransition(() => setDrawn(true)));
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return isDrawn;
}

/** Scroll to a row and stay there while rows around it get their heights, until the user scrolls. */
function useHeldRow(height: number, start: number, go: (row: number) => void): (row: number) => void {
  const held = useRef<{ row: number; until: number } | null>(null);
  const scroll = useEffectEvent(go);
  useEffect(() => {
    const leave = () => {
      held.current = null;
    };
    const names = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
    for (const name of names) window.addEventListener(name, leave, { passive: true });
    return () => {
      for (const name of names) window.removeEventListener(name, leave);
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of either is why the row has moved
  useLayoutEffect(() => {
    const place = held.current;
    if (place === null) return;
    if (performance.now() > place.until) held.current = null;
    else scroll(place.row);
  }, [height, start]);
  return (row) => {
    // After the press or key that led here, which would end the hold.
    setTimeout(() => {
      held.current = { row, until: performance.now() + HOLD_MS };
      go(row);
    });
  };
}

/** Entries of the rows on screen and a few more, with the results shown at their calls. */
function wantedEntries(
  rows: readonly ConversationRow[],
  { columns }: TranscriptOutline,
  from: number,
  to: number,
): number[] {
  const wanted: number[] = [];
  for (let index = from; index <= Math.min(rows.length - 1, to + 8); index += 1) {
    const row = rows[index];
    if (row === undefined) continue;
    // A closed fold needs only its first entry.
    const entries = row.kind === 'side' ? [] : row.kind === 'records' ? row.entries.slice(0, 1) : row.entries;
    for (const entry of entries) {
      wanted.push(entry);
      const pair = columns.pair[entry];
      if (pair != null) wanted.push(pair);
    }
  }
  return wanted;
}

/** Offset of the rows on the page. */
function useTop(body: React.RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      const rect = body.current?.getBoundingClientRect();
      if (rect !== undefined) setTop(Math.round(rect.top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [body]);
  return top;
}
