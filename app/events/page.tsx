import type { Metadata } from 'next';
import { createLoader, type SearchParams } from 'nuqs/server';
import { Suspense } from 'react';
import { EventsPanel, EventsSkeleton } from '@/components/features/events/events-panel';
import { EVENTS_QUERY, eventsSearch } from '@/components/features/events/events-query';
import { listEventsParameters } from '@/core/api/parameters';
import { listEvents } from '@/db/queries/events';
import { listFilterChoices } from '@/db/queries/list-projects';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Events' };

interface EventsPageProps {
  searchParams: Promise<SearchParams>;
}

export default function EventsPage(props: EventsPageProps) {
  return (
    <Suspense fallback={<EventsSkeleton />}>
      <Events {...props} />
    </Suspense>
  );
}

/** The newest events on the page itself; the feed continues from there, older ones load on scrolling. */
const FIRST_EVENTS = 100;
const readQuery = createLoader(EVENTS_QUERY);

async function Events({ searchParams }: EventsPageProps) {
  const { sql } = getSharedDb();
  const query = await readQuery(searchParams);
  const { kind, project, session, chain, from, to } = query;
  const asked = listEventsParameters.safeParse({
    ...(kind.length > 0 ? { kind } : {}),
    ...(project === '' ? {} : { project: [project] }),
    ...(chain === null ? {} : { scope: chain }),
    ...(session.trim() === '' ? {} : { q: session.trim() }),
    ...(from === null ? {} : { from: from.toISOString() }),
    ...(to === null ? {} : { to: to.toISOString() }),
  });
  const [page, choices] = await Promise.all([
    listEvents(sql, { ...asked.data, limit: FIRST_EVENTS }),
    listFilterChoices(sql),
  ]);
  // For parameters that the API refuses the newest events are shown, and the page shows the reason.
  const search = asked.success ? eventsSearch(query) : '';
  return <EventsPanel initial={{ search, page }} projects={choices.projects} />;
}
