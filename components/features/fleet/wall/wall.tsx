'use client';
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Alert } from '@/core/api/alerts';
import type { Session } from '@/core/api/session';
import { alertingSessions } from '../../../alerts/use-open-alerts';
import { useNow } from '../../../data/use-clock';
import { useAxisNow, useLostSince } from '../../../data/use-live-status';
import { countStates } from '../../../sessions/filter-sessions';
import { type FleetQuery, isFiltered, writeFleetQuery } from '../../../sessions/fleet-query';
import { PanelBoundary } from '../../../ui/panel-boundary';
import { useHeldOrder } from '../../../ui/use-held-order';
import { useRowKeys } from '../../../ui/use-row-keys';
import { WallCard, WallRest } from './wall-card';
import { cardsFirst, type WallGrid, type WallSpace, wallGrid, wallUnit, wishedCards } from './wall-grid';
import { LEAVE, WallBarcode, WallHead } from './wall-head';

const AXIS_STEP_MS = 15_000;
const MINUTE_MS = 60_000;
/** The order is released after this time without a pointer move or a key. */
const REST_MS = 10_000;

interface WallProps {
  /** Sessions that pass the filters, the next to go first. */
  sessions: readonly Session[];
  byId: ReadonlyMap<string, Session>;
  query: FleetQuery;
  /** Firing alerts of all sessions, not acknowledged. */
  calling: readonly Alert[];
  missing: number;
  leave: () => void;
  clear: () => void;
}

/** At most twelve cards, which can be read from four metres, the most urgent first. */
export default function Wall({ sessions, byId, query, calling, missing, leave, clear }: WallProps) {
  const present = useMemo(
    () =>
      query.liveness.includes('ended') ? sessions : sessions.filter(({ liveness }) => liveness !== 'ended'),
    [sessions, query.liveness],
  );
  const isLost = useLostSince() !== null;
  const minute = useNow(MINUTE_MS);
  const now = useAxisNow(AXIS_STEP_MS);
  const wished = useMemo(() => wishedCards(present, minute), [present, minute]);
  const counts = useMemo(() => countStates(present), [present]);
  const list = useRef<HTMLOListElement>(null);
  const { columns, rows, cards } = useWallGrid(list, wished, present.length);
  const wanted = useMemo(
    () => cardsFirst(present, cards, alertingSessions(calling)),
    [present, cards, calling],
  );
  const filtered = isFiltered(query);
  const alerts = useMemo(() => {
    const ids = new Set(present.map(({ id }) => id));
    return calling.filter(({ session }) => (session === null ? !filtered : ids.has(session.id))).length;
  }, [present, calling, filtered]);
  const { order, handlers } = useWallHold(wanted, writeFleetQuery(query));
  useRowKeys({ list, count: cards, scrollTo: () => undefined, coveredPx: 0 });

  const shown = order.flatMap((id) => byId.get(id) ?? []);
  const rest = shown.slice(cards);
  const hasRestCell = rest.length > 0 && columns * rows > cards;
  return (
    <section
      className={`wall flex h-dvh flex-col px-24 py-20 max-md:px-[16px] max-md:py-[12px] ${isLost ? 'stale' : ''}`}
      aria-label="Wall"
    >
      <h1 className="sr-only">Fleet</h1>
      <WallHead
        counts={counts}
        query={query}
        alerts={alerts}
        hiddenCount={hasRestCell ? 0 : rest.length}
        leave={leave}
      />
      <PanelBoundary name="The barcode">
        <WallBarcode sessions={present} />
      </PanelBoundary>
      <PanelBoundary name="The wall">
        {present.length === 0 ? (
          <p className="flex gap-24 pt-24 text-[length:--spacing(26)] leading-36">
            No matches
            <button type="button" className={LEAVE} onClick={clear}>
              clear filters
            </button>
          </p>
        ) : null}
        <ol
          ref={list}
          className="wall-grid mt-12 grid min-h-0 flex-1 border-t border-ink"
          style={{
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            gridTemplateRows: `repeat(${rows}, minmax(0, 1fr))`,
          }}
          {...handlers}
        >
          {shown.slice(0, cards).map((session, index) => (
            <WallCard key={session.id} session={session} index={index} now={now} />
          ))}
          {hasRestCell ? <WallRest rest={rest} missing={missing} now={now} /> : null}
        </ol>
      </PanelBoundary>
    </section>
  );
}

/** Hold the order of the cards while the pointer moves over them or a key moves the focus. */
function useWallHold(wanted: readonly string[], question: string) {
  const { order, handlers, release } = useHeldOrder(wanted, question);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  function hold(): void {
    clearTimeout(timer.current);
    timer.current = setTimeout(release, REST_MS);
    handlers.onPointerEnter();
  }
  return {
    order,
    handlers: { onPointerMove: hold, onPointerLeave: release, onFocus: hold, onKeyDown: hold },
  };
}

/** Space for the server's rendering: a screen of 16 : 9. */
const FIRST_SPACE: WallSpace = { width: 1872, height: 892, unit: 1 };

function useWallGrid(element: RefObject<Element | null>, wished: number, all: number): WallGrid {
  const [space, setSpace] = useState(FIRST_SPACE);
  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) return;
    const observer = new ResizeObserver(() => {
      const { width, height } = target.getBoundingClientRect();
      if (width > 0) setSpace({ width, height, unit: wallUnit(innerWidth, innerHeight) });
    });
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return useMemo(() => wallGrid(wished, all, space), [wished, all, space]);
}
