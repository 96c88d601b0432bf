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
import type { TranscriptMessages, TranscriptOutline } from '@/core/api/transcript-contents';
import { measureRows, type TalkRow } from './prepare-rows';
import type { CallSteps } from './prepare-steps';
import { TalkRowView } from './talk-row-view';
import { useEntries } from './use-entries';
import type { WholeEntries } from './use-whole-entries';

/** So long a place is held after it was gone to, while what is above it is read and gets its height. */
const HOLD_MS = 2_500;
const FIRST_RECT = { width: 1_000, height: 900 };
/** Rows drawn beyond both edges of the screen: at first next to none, so that what is seen is there sooner. */
const OVERSCAN = { first: 1, later: 6 };

export interface TalkListHandle {
  scrollTo: (row: number) => void;
}

interface TalkListProps {
  ref: React.Ref<TalkListHandle>;
  id: string;
  rows: readonly TalkRow[];
  outline: TranscriptOutline;
  /** The first page of entries, where it is here already. */
  first: TranscriptMessages | null;
  steps: CallSteps;
  zone: string;
  isRaw: boolean;
  whole: WholeEntries;
  /** Height of what sticks above the rows, pixels. */
  stickyPx: number;
  /** The row that a link or a search leads to; -1: none. */
  target: number;
  /** Tells which rows are on screen, both ends included. */
  onSeen: (from: number, to: number) => void;
}

/** The conversation, of which only the rows on screen exist. */
export function TalkList(props: TalkListProps) {
  const { ref, id, rows, outline, first, steps, zone, isRaw, whole, stickyPx, target, onSeen } = props;
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
    // The same function as long as the rows are the same: a new one makes all of them be laid out anew.
    getItemKey: useCallback((index: number) => measures.keys[index] ?? -index, [measures]),
    rangeExtractor: useCallback((range: Range) => {
      const shown = defaultRangeExtractor(range);
      // The row with the focus stays, or the focus would fall to the page when it scrolls away.
      const kept = focused.current;
      if (kept >= 0 && kept < range.count && !shown.includes(kept)) shown.push(kept);
      return shown;
    }, []),
  });
  const items = virtual.getVirtualItems();
  const seenFrom = virtual.range?.startIndex ?? 0;
  const seenTo = virtual.range?.endIndex ?? 0;
  const { get, failed, retry } = useEntries(id, {
    raw: isRaw,
    wanted: wantedEntries(rows, outline, seenFrom, seenTo),
    total: outline.entries,
    first: isRaw ? null : first,
  });
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
              className={`talk-row ${row.depth === 1 ? 'inner' : ''}`}
              style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
            >
              <TalkRowView
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
      {/* Behind the rows, or it would stick at their beginning, where nobody is who scrolled. */}
      {failed === null ? null : (
        <p role="alert" className="sticky bottom-0 z-10 border-t border-ink bg-paper py-[8px]">
          A part of the transcript could not be read; what is shown stays.{' '}
          {failed.isTriedAgain ? 'It is tried again by itself. ' : ''}
          <span className="text-ink2">{failed.why}</span>{' '}
          <button type="button" className="button ml-[8px]" onClick={retry}>
            Try again
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

/**
 * Goes to a row and stays there while rows around it get their heights: until somebody scrolls, or all is quiet.
 */
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
    // What led here, a press or a key, is over when the row is gone to.
    setTimeout(() => {
      held.current = { row, until: performance.now() + HOLD_MS };
      go(row);
    });
  };
}

/** Entries of the rows on screen and a little further, with the results that stand with their calls. */
function wantedEntries(
  rows: readonly TalkRow[],
  { columns }: TranscriptOutline,
  from: number,
  to: number,
): number[] {
  const wanted: number[] = [];
  for (let index = from; index <= Math.min(rows.length - 1, to + 8); index += 1) {
    const row = rows[index];
    if (row === undefined) continue;
    // Of a fold its names are enough.
    const entries = row.kind === 'side' ? [] : row.kind === 'records' ? row.entries.slice(0, 1) : row.entries;
    for (const entry of entries) {
      wanted.push(entry);
      const pair = columns.pair[entry];
      if (pair != null) wanted.push(pair);
    }
  }
  return wanted;
}

/** Where the rows begin on the page. What grows above them makes the page grow. */
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
