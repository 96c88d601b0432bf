import type { Metadata } from 'next';
import { notFound, permanentRedirect } from 'next/navigation';
import { cache } from 'react';
import { SessionPanel } from '@/components/session/session-panel';
import { listContexts } from '@/db/queries/list-contexts';
import { listSessionEvents } from '@/db/queries/list-session-events';
import { loadSeries } from '@/db/queries/load-series';
import { loadSession } from '@/db/queries/load-session';
import { getSharedDb } from '@/db/shared-client';

interface SessionPageProps {
  params: Promise<{ id: string }>;
}

/** Once per request: the title and the page ask for the same session. */
const load = cache(async (id: string) => {
  const { sql, idleAfterMs } = getSharedDb();
  return loadSession(sql, id, { nowMs: Date.now(), idleAfterMs });
});

export async function generateMetadata({ params }: SessionPageProps): Promise<Metadata> {
  const loaded = await load((await params).id);
  return { title: loaded ? (loaded.session.title ?? loaded.session.key) : 'No such session' };
}

/** A session and all its sheet needs in one render; what changes afterwards comes over the live feed. */
export default async function SessionPage({ params }: SessionPageProps) {
  const { id } = await params;
  const loaded = await load(id);
  if (!loaded) notFound();
  const { session, ref } = loaded;
  if (session.id !== id) permanentRedirect(`/sessions/${session.id}`);
  const { sql } = getSharedDb();
  const [series, contexts, events] = await Promise.all([
    loadSeries(sql, ref),
    listContexts(sql, ref, { chain: 'main' }),
    listSessionEvents(sql, ref, { limit: 200 }),
  ]);
  return (
    <SessionPanel
      key={session.id}
      initial={{
        session,
        series,
        contexts,
        events: events.events.toReversed(),
        olderCursor: events.nextCursor,
        at: Date.now(),
      }}
    />
  );
}
