'use client';
import { memo, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import type { Session } from '@/core/api/session';
import type { FleetFacts } from '@/core/explain/explain-fleet';
import type { FleetView } from '@/core/live/apply-fleet-frame';
import { type FleetSeed, readFleetSeed } from '@/core/live/fleet-seed';
import { followVersion } from '../explain/asked';
import { useFleet } from '../live/use-fleet';
import { useShortcut } from '../shell/use-shortcut';
import { PanelBoundary } from '../ui/panel-boundary';
import { useUnhurried } from '../ui/use-unhurried';
import { Barcode } from './barcode';
import { countBoundaries } from './count-boundaries';
import { CountsLine } from './counts-line';
import { describeFilters } from './describe-filters';
import { filterChoices } from './filter-choices';
import { FilterLine } from './filter-line';
import { surveySessions } from './filter-sessions';
import { FirstVisit, type FirstVisitProps } from './first-visit';
import { type FleetQuery, isFiltered, NO_FILTER, writeFleetQuery } from './fleet-query';
import { HourCounts } from './hour-counts';
import { createKeptSort } from './keep-sorted';
import { NextToGo } from './next-to-go';
import { countNear, nearest, nextToGo } from './prepare-next';
import { SessionList } from './session-list';
import { useAfterPaint } from './use-after-paint';
import { useAxisNow } from './use-axis-now';
import { useFleetQuery } from './use-fleet-query';
import './fleet.css';
import { lazyPart } from '../ui/lazy-part';

/** A screen on the wall loads it; other pages do not pay for it. */
const Wall = lazyPart(() => import('../wall/wall'));

/** The fleet, live. `seed`: what the server rendered with. */
export function FleetPanel({ seed, connect }: { seed: FleetSeed; connect: FirstVisitProps }) {
  const initial = useMemo(() => readFleetSeed(seed), [seed]);
  const live = useFleet(initial);
  if (live.total === 0 && live.sessions.size === 0) return <FirstVisit {...connect} />;
  return <Fleet view={live} connect={connect} />;
}

const HOUR_MS = 3_600_000;
/** How often it is looked at who says nothing any more. */
const SILENCE_STEP_MS = 15_000;
const NOBODY: readonly Session[] = [];

const Fleet = memo(function Fleet({ view, connect }: { view: FleetView; connect: FirstVisitProps }) {
  const [urlQuery, change] = useFleetQuery();
  const [drawn, setDrawn] = useState<FleetQuery['range']>(null);
  const asked = useMemo(() => (drawn === null ? urlQuery : { ...urlQuery, range: drawn }), [urlQuery, drawn]);
  // What was pressed answers at once; ten thousand sessions are looked through in slices.
  const query = useUnhurried(asked);
  const { sessions } = view;
  const [sort] = useState(() => createKeptSort());

  const { found, counts } = useMemo(() => surveySessions(sessions.values(), query), [sessions, query]);
  const isWall = query.view === 'wall';
  // The wall is for what comes next, whatever the list is sorted by.
  const sortKey = isWall ? 'boundary' : query.sort;
  const reversed = query.reversed && !isWall;
  const now = useAxisNow(SILENCE_STEP_MS);
  const sorted = useMemo(() => sort(found, sortKey, reversed, now), [sort, found, sortKey, reversed, now]);
  const { next, compacting } = useMemo(() => nextToGo(found, now), [found, now]);
  const nextKey = next.map(({ id }) => id).join(' ');
  // Keyed by its text: the same three ids are the same list, so that memoised panels stay as they are.
  const nextIds = useMemo(() => (nextKey === '' ? [] : nextKey.split(' ')), [nextKey]);
  const choices = useMemo(() => filterChoices(sessions.values()), [sessions]);
  const filtered = isFiltered(query);
  const matching = useMemo(() => (filtered ? new Set(found.map(({ id }) => id)) : null), [filtered, found]);
  // After the list, which is what one asked for. While a range is drawn it follows the hand.
  const later = useAfterPaint(matching);
  const marked = drawn === null ? later : matching;
  const question = writeFleetQuery(query);
  const choose = useCallback(
    (range: FleetQuery['range']) => {
      setDrawn(null);
      change({ range });
    },
    [change],
  );
  useShortcut('w', () => change({ view: isWall ? 'list' : 'wall' }));
  useEffect(() => followVersion((id) => sessions.get(id)?.version), [sessions]);
  const filters = useMemo(() => describeFilters(query), [query]);
  const hour = useMemo(
    () => (filtered ? { ...countBoundaries(found, view.at - HOUR_MS), cacheReadShare: null } : view.counts),
    [filtered, found, view.at, view.counts],
  );
  const facts = useMemo<FleetFacts>(
    () => ({
      liveness: counts.liveness,
      states: counts.states,
      arrived: sessions.size,
      total: view.total,
      filters,
      hour,
    }),
    [counts, sessions, view.total, hour, filters],
  );
  const clear = () => change({ ...NO_FILTER, sort: query.sort, reversed: query.reversed, view: query.view });

  if (isWall) {
    return (
      <Suspense>
        <Wall
          sessions={sorted}
          byId={sessions}
          query={query}
          missing={filtered ? 0 : Math.max(0, view.total - sessions.size)}
          leave={() => change({ view: 'list' })}
          clear={clear}
        />
      </Suspense>
    );
  }
  return (
    <div className="page-x">
      <h1 className="sr-only">Fleet</h1>
      <PanelBoundary name="The barcode">
        <Barcode
          sessions={sessions}
          matching={marked}
          next={nextIds}
          range={asked.range}
          preview={setDrawn}
          choose={choose}
          partial={view.total > sessions.size}
        />
      </PanelBoundary>
      <PanelBoundary name="Next to go">
        <NextToGo
          next={next}
          byId={sessions}
          question={question}
          filtered={filtered}
          compacting={compacting}
          near={next.length > 0 ? 0 : countNear(found)}
          nearest={next.length > 0 ? NOBODY : nearest(found)}
          sessions={next.length > 0 ? NOBODY : found}
          connect={connect}
          showWall={() => change({ view: 'wall' })}
        />
      </PanelBoundary>
      <section aria-label="All sessions" className="border-t border-hair">
        <div className="sticky top-0 z-30 bg-paper max-lg:static">
          <CountsLine counts={counts} query={asked} change={change} facts={facts} />
        </div>
        <div className="flex min-h-[30px] items-center border-t border-hair xl:hidden">
          <HourCounts facts={facts} />
        </div>
        <FilterLine
          query={asked}
          shown={query}
          change={change}
          choices={choices}
          found={found.length}
          total={view.total}
          filtered={filtered}
          clear={clear}
        />
        <PanelBoundary name="The list">
          <SessionList
            sessions={sorted}
            byId={sessions}
            next={nextIds}
            asked={asked}
            query={query}
            change={change}
            choices={choices}
          />
        </PanelBoundary>
      </section>
    </div>
  );
});
