import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { redirect } from 'next/navigation';
import { Suspense } from 'react';
import { HistoryPanel, HistorySkeleton } from '@/components/features/history/history-panel';
import { DEFAULT_RANGE } from '@/components/format/range-names';
import { PREFERENCES_COOKIE, readPreferences } from '@/components/preferences/preferences';
import { listFilterChoices } from '@/db/queries/list-projects';
import { newestTurnAt } from '@/db/queries/live-fleet';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'History' };

type Search = Promise<Record<string, string | string[] | undefined>>;

/** A preferred range is put into the URL, so that a link shows a colleague the same data. */
export default async function HistoryPage({ searchParams }: { searchParams: Search }) {
  const search = await searchParams;
  if (search.range === undefined && search.from === undefined) {
    const { range } = readPreferences((await cookies()).get(PREFERENCES_COOKIE)?.value);
    const params = new URLSearchParams({ range });
    for (const [name, value] of Object.entries(search)) {
      for (const each of [value ?? []].flat()) params.append(name, each);
    }
    if (range !== DEFAULT_RANGE) redirect(`/history?${params}`);
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
