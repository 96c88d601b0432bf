import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { redirect } from 'next/navigation';
import { Suspense } from 'react';
import { HistoryPanel } from '@/components/history/history-panel';
import { DEFAULT_RANGE } from '@/components/history/history-range';
import { HistorySkeleton } from '@/components/history/history-skeleton';
import { PREFERENCES_COOKIE, readPreferences } from '@/components/preferences/preferences';
import { listFilterChoices } from '@/db/queries/list-projects';
import { newestTurnAt } from '@/db/queries/newest-turn-at';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'History' };

type Search = Promise<Record<string, string | string[] | undefined>>;

/**
 * A range that this browser prefers goes into the address at the first look, as every other choice: the link then
 * shows a colleague the same picture.
 */
export default async function HistoryPage({ searchParams }: { searchParams: Search }) {
  const search = await searchParams;
  const { range } = readPreferences((await cookies()).get(PREFERENCES_COOKIE)?.value);
  if (range !== DEFAULT_RANGE && search.range === undefined && search.from === undefined) {
    const params = new URLSearchParams({ range });
    for (const [name, value] of Object.entries(search)) {
      for (const each of [value ?? []].flat()) params.append(name, each);
    }
    redirect(`/history?${params}`);
  }
  return (
    <Suspense fallback={<HistorySkeleton />}>
      <History />
    </Suspense>
  );
}

async function History() {
  const { sql } = getSharedDb();
  const [choices, newestAt] = await Promise.all([listFilterChoices(sql), newestTurnAt(sql)]);
  return <HistoryPanel choices={choices} newestAt={newestAt} />;
}
