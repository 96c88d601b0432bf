'use client';
import { useQueryStates } from 'nuqs';
import { useCallback } from 'react';
import type { EventList } from '@/core/api/responses';
import { KIND_DESCRIPTIONS, KINDS } from '@/core/events/kinds';
import { MOST_EVENTS } from '@/core/live/event-stream';
import { type ConnectPlace, EmptyPage, Preview } from '../../connect/empty-page';
import { formatExact } from '../../format/format-tokens';
import { Button } from '../../ui/button';
import { PanelBoundary } from '../../ui/panel-boundary';
import { SpanWords } from '../../ui/span-words';
import { EventsFilter } from './events-filter';
import { EVENTS_QUERY, eventsSearch, KIND_GROUPS } from './events-query';
import { StreamList } from './stream-list';
import { useEventStream, useHolding } from './use-event-stream';

interface EventsPanelProps {
  /** The page that the server rendered, and its query in API form. */
  initial: { search: string; page: EventList };
  projects: readonly string[];
  place: ConnectPlace;
}

export function EventsPanel({ initial, projects, place }: EventsPanelProps) {
  const [query, setQuery] = useQueryStates(EVENTS_QUERY);
  const { isHeld, pointerHandlers, focusHandlers } = useHolding();
  const stream = useEventStream(initial, query, isHeld);
  const { events, hasOlder, waiting, reading, isPending, failed, loadOlder, retry, release } = stream;
  const isFiltered = eventsSearch(query) !== '';
  const isEmpty = !isFiltered && !isPending && failed === null && events.length === 0;
  const canLoad = reading === null && hasOlder;
  const onEnd = useCallback(() => {
    if (canLoad) loadOlder();
  }, [canLoad, loadOlder]);
  const failure =
    failed === null ? null : (
      <div role="alert" className="flex flex-wrap items-center gap-x-[12px] gap-y-[6px] py-[10px]">
        <p>
          {reading === 'first' ? 'The' : 'Older'} events could not be read: {failed}.{' '}
          <span className="text-ink2">Showing the last data.</span>
        </p>
        <Button onClick={retry}>Retry</Button>
      </div>
    );
  if (isEmpty) return <NoEvents place={place} />;
  return (
    <div className="page-x wide-type pb-[48px]" {...pointerHandlers}>
      <h1 className="sr-only">Events</h1>
      <div className="sticky top-0 z-30 bg-paper">
        <EventsFilter
          query={query}
          change={setQuery}
          projects={projects}
          waiting={waiting}
          release={() => {
            release();
            window.scrollTo({ top: 0 });
          }}
        />
      </div>
      {isFiltered ? (
        <div className="flex min-h-[32px] flex-wrap items-center gap-x-[12px] gap-y-[4px] border-t border-hair py-[4px] text-small">
          <SpanWords from={query.from} to={query.to} change={setQuery} />
          <Button className="h-[22px]" onClick={() => void setQuery(null)}>
            Clear filters
          </Button>
        </div>
      ) : null}
      {reading === 'first' ? failure : null}
      <PanelBoundary name="The stream">
        <StreamList
          events={events}
          hasOlder={hasOlder}
          isBusy={isPending}
          onEnd={onEnd}
          handlers={focusHandlers}
        />
      </PanelBoundary>
      {reading === 'older' ? failure : null}
      {canLoad ? (
        <button type="button" className="link my-[14px] text-small text-ink2" onClick={loadOlder}>
          Older events
        </button>
      ) : failed === null ? (
        <p className="py-[14px] text-ink2">
          {isPending ? 'Loading events …' : <EndWords count={events.length} isFiltered={isFiltered} />}
        </p>
      ) : null}
      <p className="sr-only" role="status">
        {waiting === 0 ? '' : `${waiting} new events at the top`}
      </p>
    </div>
  );
}

function EndWords({ count, isFiltered }: { count: number; isFiltered: boolean }) {
  if (count >= MOST_EVENTS) return `Showing ${formatExact(count)} events. Filter them to see older ones.`;
  if (isFiltered) return count === 0 ? 'No matches. New matches appear here.' : 'No older matches.';
  return 'The first event on record.';
}

function NoEvents({ place }: { place: ConnectPlace }) {
  return (
    <div className="page-x wide-type">
      <EmptyPage
        title="No events yet."
        note="The first turn of a session appears here automatically. Each event links to its place in the session."
        place={place}
      >
        <Preview
          title="Events of all sessions"
          rows={KIND_GROUPS.flatMap(({ kinds }) =>
            kinds.map((kind) => [KINDS[kind].label, KIND_DESCRIPTIONS[kind]] as const),
          )}
        />
      </EmptyPage>
    </div>
  );
}
