'use client';
import { useMemo, useRef } from 'react';
import type { Session } from '@/core/api/session';
import { useAxisNow } from '../../../data/use-axis-time';
import { useNow } from '../../../data/use-clock';
import { countStates } from '../../../sessions/count-sessions';
import { type FleetQuery, writeFleetQuery } from '../../../sessions/fleet-query';
import { PanelBoundary } from '../../../ui/panel-boundary';
import { useRowKeys } from '../../../ui/use-row-keys';
import { wishedCards } from './choose-wall';
import { useWallGrid } from './use-wall-grid';
import { useWallHold } from './use-wall-hold';
import { WallBarcode } from './wall-barcode';
import { WallCard } from './wall-card';
import { WallHead } from './wall-head';
import { WallRest } from './wall-rest';
import './wall.css';

const AXIS_STEP_MS = 15_000;
const MINUTE_MS = 60_000;

interface WallProps {
  /** What the filters leave, the next to go first. */
  sessions: readonly Session[];
  byId: ReadonlyMap<string, Session>;
  query: FleetQuery;
  /** Sessions of the fleet that have not arrived yet. */
  missing: number;
  leave: () => void;
  /** Shows all sessions. */
  clear: () => void;
}

/** The fleet for a screen on the wall: as many cards as can be read from four metres, the most urgent first. */
export default function Wall({ sessions, byId, query, missing, leave, clear }: WallProps) {
  const present = useMemo(
    () =>
      query.liveness.includes('ended') ? sessions : sessions.filter(({ liveness }) => liveness !== 'ended'),
    [sessions, query.liveness],
  );
  const minute = useNow(MINUTE_MS);
  const now = useAxisNow(AXIS_STEP_MS);
  const wished = useMemo(() => wishedCards(present, minute), [present, minute]);
  const counts = useMemo(() => countStates(present), [present]);
  const list = useRef<HTMLOListElement>(null);
  const { kind, columns, rows, cards } = useWallGrid(list, wished, present.length);
  const wanted = useMemo(() => present.map(({ id }) => id), [present]);
  const { order, still, handlers } = useWallHold(wanted, writeFleetQuery(query));
  useRowKeys({ list, count: cards, scrollTo: () => undefined, coveredPx: 0 });

  const shown = order.flatMap((id) => byId.get(id) ?? []);
  const rest = shown.slice(cards);
  const hasRestCell = rest.length > 0 && columns * rows > cards;
  return (
    <section className="wall" aria-label="Wall" data-still={still ? '' : undefined}>
      <h1 className="sr-only">Fleet</h1>
      <WallHead counts={counts} query={query} hiddenCount={hasRestCell ? 0 : rest.length} leave={leave} />
      <PanelBoundary name="The barcode">
        <WallBarcode sessions={present} />
      </PanelBoundary>
      <PanelBoundary name="The wall">
        {present.length === 0 ? (
          <p className="wall-none">
            No matches
            <button type="button" className="wall-leave" onClick={clear}>
              clear filters
            </button>
          </p>
        ) : null}
        <ol
          ref={list}
          className="wall-grid"
          data-kind={kind}
          style={{
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            gridTemplateRows: `repeat(${rows}, minmax(0, 1fr))`,
          }}
          {...handlers}
        >
          {shown.slice(0, cards).map((session, index) => (
            <WallCard key={session.id} session={session} kind={kind} index={index} now={now} />
          ))}
          {hasRestCell ? <WallRest rest={rest} missing={missing} now={now} /> : null}
        </ol>
      </PanelBoundary>
    </section>
  );
}
