'use client';
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Session } from '@/core/api/session';
import { CommandButton } from '../../commands/command-button';
import { useAxisNow } from '../../data/use-live-status';
import { type FleetQuery, writeFleetQuery } from '../../sessions/fleet-query';
import { sessionTitle } from '../../sessions/session-names';
import { useAfterPaint, useDeferred } from '../../ui/use-deferred';
import { useHeldOrder } from '../../ui/use-held-order';
import { useMeasuredWidth } from '../../ui/use-measured-width';
import { usePlace } from '../../ui/use-place';
import { useRowKeys } from '../../ui/use-row-keys';
import { useShortcut } from '../../ui/use-shortcut';
import type { FilterChoices } from './filter-line';
import { ListHead, UpdateButton } from './list-head';
import { SessionRow } from './session-row';

const FIRST_PLACE = { top: 440, rowPx: 36 };
const AXIS_STEP_MS = 15_000;
/** Rows that the server renders: a screenful. */
const FIRST_RECT = { width: 1440, height: 1100 };
const OVERSCAN = 4;
/** Height of a trace: a share of its row, and at least these pixels. */
const TRACE_SHARE = 26 / 36;
const SMALLEST_TRACE = 26;

interface SessionListProps {
  sessions: readonly Session[];
  byId: ReadonlyMap<string, Session>;
  next: readonly string[];
  /** The newest query, and the query that `sessions` matches. */
  asked: FleetQuery;
  query: FleetQuery;
  change: (part: Partial<FleetQuery>) => void;
  choices: FilterChoices;
}

/** Each selected session costs a request for its commands. */
const MOST_CHOSEN = 20;

/** Beyond the maximum, a new selection replaces the oldest. */
function toggled(held: readonly string[], id: string): readonly string[] {
  return held.includes(id) ? held.filter((other) => other !== id) : [...held, id].slice(-MOST_CHOSEN);
}

export function SessionList({ sessions, byId, next, asked, query, change, choices }: SessionListProps) {
  const wanted = useMemo(() => sessions.map(({ id }) => id), [sessions]);
  const question = writeFleetQuery(query);
  const { order, changed, update, handlers } = useHeldOrder(wanted, question);
  // Rows beyond the screen's edges follow after the next paint.
  const isShown = useAfterPaint<string | null>(question, null) === question;
  const body = useRef<HTMLTableSectionElement>(null);
  const traceHead = useRef<HTMLDivElement>(null);
  const traceWidth = useMeasuredWidth(traceHead, 128);
  const now = useDeferred(useAxisNow(AXIS_STEP_MS));
  const { top, rowPx } = usePlace(body, FIRST_PLACE);
  const trace = useMemo(
    () => ({ width: traceWidth, height: Math.max(SMALLEST_TRACE, Math.round(rowPx * TRACE_SHARE)) }),
    [traceWidth, rowPx],
  );
  const focused = useRef<number | null>(null);

  const rangeExtractor = useCallback((range: Range) => {
    const rows = defaultRangeExtractor(range);
    const kept = focused.current;
    // A focused row stays drawn.
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
    // No synchronous flush: the overscan rows cover the frame until React draws a scroll.
    useFlushSync: false,
  });
  useLayoutEffect(() => {
    if (rowPx > 0) virtual.measure();
  }, [virtual, rowPx]);
  const list = useRef<HTMLTableElement>(null);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const toggle = useCallback((id: string) => setChosen((held) => toggled(held, id)), []);
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

  return (
    <>
      <div className="sticky top-0 z-20 h-0 md:hidden">
        {changed ? <UpdateButton update={update} className="absolute top-[7px] right-0" /> : null}
      </div>
      <table ref={list} aria-label="Sessions" aria-rowcount={order.length + 1} className="session-list block">
        {/* The shadow covers the chips and marks of rows, which are partly in the page's margin. */}
        <thead className="sticky top-[40px] z-20 block bg-paper shadow-[-24px_0_var(--paper),24px_0_var(--paper)] max-lg:top-0">
          <ListHead
            query={asked}
            change={change}
            choices={choices}
            update={changed ? update : null}
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
          {drawn.map(({ index, session }) => {
            const rank = next.indexOf(session.id);
            return (
              <SessionRow
                key={session.id}
                session={session}
                rank={rank === -1 ? null : rank + 1}
                index={index}
                now={now}
                trace={trace}
                isChosen={chosen.includes(session.id)}
                choose={toggle}
              />
            );
          })}
        </tbody>
      </table>
      <ChosenBar chosen={chosen.flatMap((id) => byId.get(id) ?? [])} clear={() => setChosen([])} />
    </>
  );
}

function ChosenBar({ chosen, clear }: { chosen: readonly Session[]; clear: () => void }) {
  const router = useRouter();
  const [a, b] = chosen;
  const isPair = chosen.length === 2;
  const path = isPair ? `/compare?a=${a?.id}&b=${b?.id}` : null;
  useShortcut('c', () => {
    if (path !== null) router.push(path);
  });
  if (a === undefined) return null;
  const quiet = (words: string, className = '') => <span className={`text-ink2 ${className}`}>{words}</span>;
  return (
    <div className="sticky bottom-0 z-30 flex min-h-[40px] items-center gap-[14px] border-t border-ink bg-paper py-[6px]">
      <p role="status" className="min-w-0 flex-1 truncate">
        {chosen.length > 2 ? (
          `${chosen.length} sessions selected`
        ) : (
          <>
            {quiet(b === undefined ? 'Selected: ' : 'Compare ')}
            {sessionTitle(a)}
            {b === undefined ? quiet(', select one more to compare', 'max-md:hidden') : quiet(' with ')}
            {b === undefined ? null : sessionTitle(b)}
          </>
        )}
      </p>
      <CommandButton sessions={chosen} />
      {path === null ? null : (
        <Link href={path} prefetch={false} className="button" aria-keyshortcuts="c">
          Compare
        </Link>
      )}
      <button type="button" className="button" onClick={clear}>
        Clear selection
      </button>
    </div>
  );
}
