import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { SessionPanel } from '@/components/features/session/session-panel';
import type { SessionPageData } from '@/components/features/session/use-session-data';
import { listCompositions, listContexts } from '@/db/queries/contexts';
import { loadSeries } from '@/db/queries/load-series';
import { listNotes } from '@/db/queries/notes';
import { getSharedDb } from '@/db/shared-client';
import { loadPageEvents } from './load-page-events';
import { loadPageSession } from './load-page-session';

interface SessionPageProps {
  params: Promise<{ id: string }>;
  searchParams: Promise<{ event?: string | string[] }>;
}

export async function generateMetadata({ params }: SessionPageProps): Promise<Metadata> {
  const loaded = await loadPageSession((await params).id);
  return { title: loaded ? (loaded.session.title ?? loaded.session.key) : 'Session not found' };
}

/** A session with all data of its chart in one render; later changes arrive over the live feed. */
export default async function SessionPage({ params, searchParams }: SessionPageProps) {
  const [{ id }, { event }] = await Promise.all([params, searchParams]);
  const loaded = await loadPageSession(id);
  if (!loaded) notFound();
  const { session, ref } = loaded;
  const { sql } = getSharedDb();
  const [series, contexts, events, compositions, notes] = await Promise.all([
    loadSeries(sql, ref),
    listContexts(sql, ref, { chain: 'main' }),
    loadPageEvents(sql, ref, [event ?? []].flat()[0]),
    session.compositionVersion === null ? [] : listCompositions(sql, ref),
    listNotes(sql, ref),
  ]);
  const data = { session, series, contexts, compositions, notes, ...events, at: Date.now() };
  return <SessionPanel key={session.id} seed={JSON.stringify(data satisfies SessionPageData)} />;
}
