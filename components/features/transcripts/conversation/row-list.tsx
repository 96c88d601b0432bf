'use client';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { mayRetry } from '../../../data/fetch-json';
import { useKeptRow } from '../../../ui/use-kept-row';
import { ConversationContext, type ConversationState } from './conversation-context';
import type { ConversationRow } from './prepare-rows';
import { RowView } from './row-view';
import { useEntries } from './use-entries';
import { useHeldRow } from './use-held-row';
import { topOf, useMeasured } from './use-measured';

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
  target: { entry: number; row: number; round: number; isMarked: boolean };
  /** Words that the target entry contains; empty: not known. */
  words: string;
  /** Content after the rows, which may arrive later. */
  tail: React.ReactNode;
  /** Until this time of `performance.now()` the target row stays in place. */
  heldUntil: RefObject<number>;
  /** Called with the rows on screen, both ends included. */
  onSeen: (from: number, to: number) => void;
  onDrawn: () => void;
}

export function RowList(props: RowListProps) {
  const { id, rows, actions, isRaw, stickyPx, target, words, heldUntil, onSeen, onDrawn, tail } = props;
  const { outline } = actions;
  const body = useRef<HTMLOListElement>(null);
  const kept = useKeptRow();
  const virtual = useWindowVirtualizer<HTMLLIElement>({
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
  /** A place without a mark is a tear: both of its sides are shown. */
  const align = target.isMarked ? 'start' : 'center';
  const jump = useHeldRow(
    virtual,
    stickyPx,
    heldUntil,
    `${size} ${virtual.options.scrollMargin} ${tail === null}`,
  );
  const arrived = useRef(-1);
  useEffect(() => {
    if (target.row < 0 || arrived.current === target.round) return;
    arrived.current = target.round;
    jump(target.row, align);
  }, [jump, target, align]);
  // A match beyond the loaded start of a long text.
  const aimed = entryOf(target.entry);
  const asked = useRef(-1);
  useEffect(() => {
    if (aimed === undefined || words.trim() === '' || asked.current === target.round) return;
    asked.current = target.round;
    if (!JSON.stringify(aimed.blocks).toLowerCase().includes(words.trim().toLowerCase()))
      readWhole(target.entry).catch(() => undefined);
  }, [aimed, words, target, readWhole]);
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
      {tail}
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
    .flatMap(({ kind, entries }) => (kind === 'side' ? [] : entries))
    .flatMap((entry) => [entry, columns.pair[entry] ?? entry]);
}
