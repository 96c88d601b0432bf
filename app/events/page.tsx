import type { Metadata } from 'next';
import { createLoader, type SearchParams } from 'nuqs/server';
import { Suspense } from 'react';
import { EventsPanel } from '@/components/features/events/events-panel';
import { EVENTS_QUERY, eventsSearch } from '@/components/features/events/events-query';
import { PageSkeleton } from '@/components/ui/page-head';
import { listEventsParameters } from '@/core/api/parameters';
import { listEvents } from '@/db/queries/events';
import { listFilterChoices } from '@/db/queries/list-filter-choices';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Events' };

type EventsPageProps = Record<'searchParams', Promise<SearchParams>>;

export default function EventsPage(props: EventsPageProps) {
  return (
    <Suspense fallback={<PageSkeleton title="Events" />}>
      <Events {...props} />
    </Suspense>
  );
}

/** Events rendered with the page. The live feed adds newer events; scrolling loads older ones. */
const FIRST_EVENTS = 100;
const readQuery = createLoader(EVENTS_QUERY);

async function Events({ searchParams }: EventsPageProps) {
  const { sql, place } = getSharedDb();
  const search = eventsSearch(await readQuery(searchParams));
  const params = new URLSearchParams(search);
  const kind = params.getAll('kind');
  const asked = listEventsParameters.safeParse({
    ...Object.fromEntries(params),
    ...(kind.length > 0 && { kind }),
  });
  const [page, { projects }] = await Promise.all([
    listEvents(sql, { ...asked.data, limit: FIRST_EVENTS }),
    listFilterChoices(sql),
  ]);
  // If the parameters are invalid, the page starts with the newest events, then shows the API's reason.
  const initial = { search: asked.success ? search : '', page };
  return <EventsPanel initial={initial} projects={projects} place={place} />;
}
