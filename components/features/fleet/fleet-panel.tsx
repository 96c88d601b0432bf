'use client';
import { useQueryStates } from 'nuqs';
import { memo, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import type { FleetFacts } from '@/core/explain/explain-fleet';
import { type FleetSeed, type FleetView, readFleetSeed } from '@/core/live/apply-fleet-frame';
import { alertingSessions, callingAlerts, useOpenAlerts } from '../../alerts/use-open-alerts';
import type { ConnectPlace } from '../../connect/empty-page';
import { useFleet } from '../../data/use-fleet';
import { useAxisNow, useLostSince } from '../../data/use-live-status';
import { followVersion } from '../../explain/asked';
import { hideOlder, surveySessions } from '../../sessions/filter-sessions';
import {
  FLEET_PARSERS,
  FLEET_URL_KEYS,
  type FleetQuery,
  isFiltered,
  NO_FILTER,
  writeFleetQuery,
} from '../../sessions/fleet-query';
import { sortSessions } from '../../sessions/sort-sessions';
import { lazyPart } from '../../ui/lazy-part';
import { PanelBoundary } from '../../ui/panel-boundary';
import { useAfterPaint, useDeferred } from '../../ui/use-deferred';
import { useShortcut } from '../../ui/use-shortcut';
import { Barcode } from './barcode';
import { countBoundaries } from './count-boundaries';
import { CountsLine, HourCounts } from './counts-line';
import { describeFilters, FilterLine, filterChoices, PhoneMenus } from './filter-line';
import { NextToGo } from './next-to-go';
import { nextToGo } from './prepare-next';
import { SessionList } from './session-list';

const Wall = lazyPart(() => import('./wall/wall'));
const FirstVisit = lazyPart(() => import('./first-visit'));

export function FleetPanel({ seed, connect }: { seed: FleetSeed; connect: ConnectPlace }) {
  const initial = useMemo(() => readFleetSeed(seed), [seed]);
  const live = useFleet(initial);
  if (live.total > 0 || live.sessions.size > 0) return <Fleet view={live} connect={connect} />;
  return (
    <Suspense>
      <FirstVisit {...connect} />
    </Suspense>
  );
}

const HOUR_MS = 3_600_000;
/** How often the list is sorted again, because sessions become silent. */
const SILENCE_STEP_MS = 15_000;

const Fleet = memo(function Fleet({ view, connect }: { view: FleetView; connect: ConnectPlace }) {
  const [urlQuery, setQuery] = useQueryStates(FLEET_PARSERS, { urlKeys: FLEET_URL_KEYS });
  const change = useCallback((part: Partial<FleetQuery>) => void setQuery(part), [setQuery]);
  const [drawn, setDrawn] = useState<FleetQuery['range']>(null);
  const asked = useMemo(() => (drawn === null ? urlQuery : { ...urlQuery, range: drawn }), [urlQuery, drawn]);
  // Controls react at once; the list follows in an interruptible rendering.
  const query = useDeferred(asked);
  const { sessions } = view;

  const now = useAxisNow(SILENCE_STEP_MS);
  const { shown, older } = useMemo(() => hideOlder(sessions, query, now), [sessions, query, now]);
  const { found, counts } = useMemo(() => surveySessions(shown.values(), query), [shown, query]);
  const isLost = useLostSince() !== null;
  const isWall = query.view === 'wall';
  // The wall always has the default order.
  const { by, reversed } = isWall ? NO_FILTER.sort : query.sort;
  const open = useOpenAlerts();
  const calling = useMemo(() => callingAlerts(open), [open]);
  const sorted = useMemo(
    () => sortSessions(found, by, reversed, now, alertingSessions(calling)),
    [found, by, reversed, now, calling],
  );
  const { next, compacting } = useMemo(() => nextToGo(found, now), [found, now]);
  const nextKey = next.map(({ id }) => id).join(' ');
  // Memoised panels get the same array while the ids are equal.
  const nextIds = useMemo(() => (nextKey === '' ? [] : nextKey.split(' ')), [nextKey]);
  const choices = useMemo(() => filterChoices(sessions.values()), [sessions]);
  const filtered = isFiltered(query);
  const matching = useMemo(() => (filtered ? new Set(found.map(({ id }) => id)) : null), [filtered, found]);
  // The barcode updates after the list, except while the viewer draws a range.
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
      ...counts,
      arrived: sessions.size,
      total: view.total,
      hidden: sessions.size - shown.size,
      filters,
      hour,
    }),
    [counts, sessions, shown, view.total, hour, filters],
  );
  const clear = () => change({ ...NO_FILTER, sort: query.sort, view: query.view, older: query.older });

  if (isWall) {
    return (
      <Suspense>
        <Wall
          sessions={sorted}
          byId={sessions}
          query={query}
          calling={calling}
          missing={filtered ? 0 : Math.max(0, view.total - sessions.size)}
          leave={() => change({ view: 'list' })}
          clear={clear}
        />
      </Suspense>
    );
  }
  return (
    <div className={`page-x wide-type ${isLost ? 'stale' : ''}`}>
      <h1 className="sr-only">Fleet</h1>
      <PanelBoundary name="The barcode">
        <Barcode
          sessions={shown}
          matching={marked}
          next={nextIds}
          range={asked.range}
          preview={setDrawn}
          choose={choose}
          partial={view.total > sessions.size}
        />
      </PanelBoundary>
      <PanelBoundary name="Next boundaries">
        <NextToGo
          next={next}
          byId={sessions}
          question={question}
          filtered={filtered}
          compacting={compacting}
          sessions={found}
          connect={connect}
          showWall={() => change({ view: 'wall' })}
        />
      </PanelBoundary>
      <section aria-label="All sessions" className="border-t border-hair">
        {/* On a phone the counts and the menus are one line, which scrolls sideways. */}
        <div className="sticky top-0 z-30 bg-paper shadow-[-24px_0_var(--paper),24px_0_var(--paper)] max-lg:static max-lg:shadow-none max-md:relative max-md:flex max-md:h-[38px] max-md:items-center max-md:gap-x-[9px] max-md:overflow-x-auto max-md:overflow-y-hidden max-md:border-b max-md:border-hair2 max-md:[mask-image:linear-gradient(90deg,#000_calc(100%-20px),transparent)] [scrollbar-width:none]">
          <CountsLine counts={counts} older={older} query={asked} change={change} facts={facts} />
          <PhoneMenus query={asked} change={change} choices={choices} />
        </div>
        <div className="flex min-h-[30px] items-center border-t border-hair max-md:hidden xl:hidden">
          <HourCounts facts={facts} />
        </div>
        <FilterLine filters={filters} found={found.length} total={view.total} clear={clear} />
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
