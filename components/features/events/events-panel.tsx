'use client';
import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { useCallback, useMemo } from 'react';
import type { EventList } from '@/core/api/responses';
import { KINDS } from '@/core/events/kinds';
import { useLiveStatus } from '../../data/use-live-status';
import { PanelBoundary } from '../../ui/panel-boundary';
import { SpanWords } from '../../ui/span-words';
import { EventsFilter } from './events-filter';
import { EVENTS_QUERY, type EventsQuery, isFiltered } from './events-query';
import { shownEvents } from './hold-stream';
import { StreamEnd } from './stream-end';
import { StreamList } from './stream-list';
import { useEventStream } from './use-event-stream';
import { useHolding } from './use-holding';
import './events.css';

interface EventsPanelProps {
  /** What the server rendered with, and the question it answers (as the API takes it). */
  initial: { search: string; page: EventList };
  projects: readonly string[];
}

const NO_FILTER = { kind: null, project: null, session: null, chain: null, from: null, to: null };

/** What happens to all sessions, live. */
export function EventsPanel({ initial, projects }: EventsPanelProps) {
  const [query, setQuery] = useQueryStates(EVENTS_QUERY);
  const { isHeld, pointerHandlers, focusHandlers } = useHolding();
  const { held, reading, loadOlder, retry, release } = useEventStream(initial, query, isHeld);
  const events = useMemo(() => shownEvents(held), [held]);
  const { older } = held.stream;
  const change = useCallback(
    (part: Partial<EventsQuery>) => {
      void setQuery(part);
    },
    [setQuery],
  );
  const isReading = reading !== null && reading.failed === null;
  const onEnd = useCallback(() => {
    if (reading === null) loadOlder();
  }, [reading, loadOlder]);
  const filtered = isFiltered(query);
  return (
    <div className="page-x pb-[48px]" {...pointerHandlers}>
      <h1 className="sr-only">Events</h1>
      <div className="sticky top-0 z-30 bg-paper">
        <EventsFilter
          query={query}
          change={change}
          projects={projects}
          waiting={held.waiting.size}
          release={() => {
            release();
            window.scrollTo({ top: 0 });
          }}
        />
      </div>
      <Notices query={query} filtered={filtered} change={change} clear={() => void setQuery(NO_FILTER)} />
      {reading?.what === 'first' && reading.failed !== null ? (
        <div role="alert" className="flex flex-wrap items-center gap-x-[12px] gap-y-[6px] py-[10px]">
          <p>
            The events could not be read: {reading.failed}.{' '}
            <span className="text-ink2">What is shown stays as it was.</span>
          </p>
          <button type="button" className="button" onClick={retry}>
            Retry
          </button>
        </div>
      ) : null}
      <PanelBoundary name="The stream">
        <StreamList
          events={events}
          hasOlder={older !== null}
          isBusy={isReading}
          onEnd={onEnd}
          handlers={focusHandlers}
        />
      </PanelBoundary>
      <StreamEnd
        isEmpty={events.length === 0}
        filtered={filtered}
        reading={reading}
        hasOlder={older !== null}
        count={events.length}
        loadOlder={loadOlder}
        retry={retry}
      />
      <p className="sr-only" role="status">
        {held.waiting.size === 0 ? '' : `${held.waiting.size} new events wait at the top`}
      </p>
    </div>
  );
}

interface NoticesProps {
  query: EventsQuery;
  filtered: boolean;
  change: (part: Partial<EventsQuery>) => void;
  clear: () => void;
}

/** What the filters ask for, the way out of them, and whether the stream still flows. */
function Notices({ query, filtered, change, clear }: NoticesProps) {
  const { status } = useLiveStatus();
  const isCut = status === 'reconnecting' || status === 'stale';
  if (!filtered && !isCut) return null;
  const only = describe(query);
  return (
    <div className="flex min-h-[32px] flex-wrap items-center gap-x-[12px] gap-y-[4px] border-t border-hair py-[4px] text-small">
      {isCut ? (
        <p role="status" className="font-medium">
          The stream is paused: {status === 'stale' ? 'connection lost' : 'reconnecting'}. What happens
          meanwhile follows.
        </p>
      ) : null}
      {filtered ? (
        <>
          <SpanWords from={query.from} to={query.to} change={change} />
          {only.length === 0 ? null : <p className="text-ink2">only {only.join(', ')}</p>}
          <button type="button" className="button h-[22px]" onClick={clear}>
            Clear filters
          </button>
          {query.session === '' ? null : (
            <Link href={`/?q=${encodeURIComponent(query.session)}`} className="link">
              these sessions in the fleet
            </Link>
          )}
        </>
      ) : null}
    </div>
  );
}

function describe({ kind, project, session, chain }: EventsQuery): string[] {
  const parts: string[] = [];
  if (kind.length > 0) parts.push(kind.map((one) => KINDS[one].label).join(' or '));
  if (project !== '') parts.push(`project ${project}`);
  if (chain !== null) parts.push(chain === 'main' ? 'main chains' : 'sub-agents');
  if (session.trim() !== '') parts.push(`sessions like “${session.trim()}”`);
  return parts;
}
