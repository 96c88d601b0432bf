'use client';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { mayRetry } from '../../../data/fetch-json';
import { useKeptRow } from '../../../ui/use-kept-row';
import { ConversationContext, type ConversationState } from './conversation-context';
import type { ConversationRow } from './prepare-rows';
import { RowView } from './row-view';
import { useEntries } from './use-entries';
import { topOf, useMeasured } from './use-measured';

/** After a jump the row stays in place for this time, while other rows load and change their height. */
const HOLD_MS = 2_500;

/** A row clips its content, so that a hostile text with stacked characters stays in its row. */
const ROW =
  'conversation-row absolute inset-x-0 top-0 overflow-clip border-b border-hair [contain:layout_paint_style] data-target:shadow-[inset_2px_0_var(--ink)]';

interface RowListProps {
  id: string;
  rows: readonly ConversationRow[];
  actions: Omit<ConversationState, 'entryOf' | 'readWhole'>;
  isRaw: boolean;
  /** Height of the sticky bar above the rows, pixels. */
  stickyPx: number;
  /** The row to scroll to, -1 for none. A new `round` scrolls again to the same row. */
  target: { row: number; round: number; isMarked: boolean };
  /** Called with the rows on screen, both ends included. */
  onSeen: (from: number, to: number) => void;
  onDrawn: () => void;
}

export function RowList({ id, rows, actions, isRaw, stickyPx, target, onSeen, onDrawn }: RowListProps) {
  const { outline } = actions;
  const body = useRef<HTMLOListElement>(null);
  const kept = useKeptRow();
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: useCallback((index: number) => rows[index]?.px ?? 40, [rows]),
    overscan: 4,
    scrollMargin: useMeasured(body, topOf),
    scrollPaddingStart: stickyPx,
    initialRect: { width: 1_000, height: 900 },
    // A stable function, because a new function would lay out all rows again.
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    rangeExtractor: kept.rangeExtractor,
  });
  const seenFrom = virtual.range?.startIndex ?? 0;
  const seenTo = virtual.range?.endIndex ?? 0;
  const wanted = wantedEntries(rows.slice(seenFrom, seenTo + 9), outline);
  const { entryOf, readWhole, failed, retry } = useEntries(id, isRaw, wanted, outline.entries);
  const isLoaded = wanted[0] === undefined || entryOf(wanted[0]) !== undefined;
  useEffect(() => {
    if (isLoaded) onDrawn();
  }, [isLoaded, onDrawn]);
  useEffect(() => onSeen(seenFrom, seenTo), [onSeen, seenFrom, seenTo]);
  const size = virtual.getTotalSize();
  const held = useRef({ row: -1, until: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row moves when the size changes
  useLayoutEffect(() => {
    if (performance.now() < held.current.until) virtual.scrollToIndex(held.current.row, { align: 'start' });
  }, [virtual, size]);
  useEffect(() => {
    const ended = new AbortController();
    const release = () => {
      held.current.until = 0;
    };
    for (const name of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
      window.addEventListener(name, release, { capture: true, passive: true, signal: ended.signal });
    return () => ended.abort();
  }, []);
  const arrived = useRef(-1);
  useEffect(() => {
    if (target.row < 0 || arrived.current === target.round) return;
    arrived.current = target.round;
    held.current = { row: target.row, until: performance.now() + HOLD_MS };
    virtual.scrollToIndex(target.row, { align: 'start' });
  }, [virtual, target]);
  const shared = useMemo(() => ({ ...actions, entryOf, readWhole }), [actions, entryOf, readWhole]);

  return (
    <ConversationContext value={shared}>
      <ol
        ref={body}
        aria-label={isRaw ? 'Lines of the file' : 'Conversation'}
        className="relative"
        style={{ height: size }}
        onFocus={kept.onFocus}
        onBlur={kept.onBlur}
      >
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              data-index={index}
              data-line={outline.columns.line[row.first] ?? 0}
              data-target={target.isMarked && index === target.row ? '' : undefined}
              className={`${ROW} ${row.isInner ? 'pl-[24px]' : ''}`}
              style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
            >
              <RowView row={row} />
            </li>
          );
        })}
      </ol>
      {/* The notice follows the rows and sticks to the bottom edge of the screen. */}
      {failed === null ? null : (
        <p role="alert" className="sticky bottom-0 z-10 border-t border-ink bg-paper py-[8px]">
          Part of the transcript could not be loaded. {mayRetry(failed) ? 'Retrying automatically. ' : ''}
          <span className="text-ink2">{failed.message}</span>{' '}
          <button type="button" className="button ml-[8px]" onClick={retry}>
            Retry
          </button>
        </p>
      )}
    </ConversationContext>
  );
}

/** Entries that rows show, with the results shown at their calls. */
function wantedEntries(rows: readonly ConversationRow[], { columns }: TranscriptOutline): number[] {
  return rows
    .flatMap(({ kind, entries }) => (kind === 'side' || kind === 'records' ? [] : entries))
    .flatMap((entry) => [entry, columns.pair[entry] ?? entry]);
}
