import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { redirect } from 'next/navigation';
import { Suspense } from 'react';
import { HistoryPanel, HistorySkeleton } from '@/components/features/history/history-panel';
import { firstRange } from '@/components/features/history/recorded-range';
import { DEFAULT_RANGE } from '@/components/format/range-names';
import { PREFERENCES_COOKIE, readPreferences } from '@/components/preferences/preferences';
import { firstRecordedAt } from '@/db/queries/history/load-history';
import { listFilterChoices } from '@/db/queries/list-projects';
import { newestTurnAt } from '@/db/queries/live-fleet';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'History' };

const FILTERS = ['project', 'runner', 'model'];

type Search = Promise<Record<string, string | string[] | undefined>>;

/**
 * The first visit redirects to a URL with its range, so that a link shows a colleague the same data: the
 * preferred range, or one with data.
 */
export default async function HistoryPage({ searchParams }: { searchParams: Search }) {
  const search = await searchParams;
  if (search.range === undefined && search.from === undefined) {
    const chosen = await chooseRange(search);
    if (chosen !== null) redirect(`/history?${addressOf(chosen, search)}`);
  }
  return (
    <Suspense fallback={<HistorySkeleton />}>
      <History />
    </Suspense>
  );
}

async function chooseRange(search: Awaited<Search>): Promise<Record<string, string> | null> {
  const { range } = readPreferences((await cookies()).get(PREFERENCES_COOKIE)?.value);
  if (range !== DEFAULT_RANGE) return { range };
  // Filtered data may begin later than all data; the page says so.
  if (FILTERS.some((name) => search[name] !== undefined)) return null;
  const { sql } = getSharedDb();
  const newestAt = await newestTurnAt(sql);
  const first = await firstRange(Date.now(), newestAt === null ? null : Date.parse(newestAt), (since) =>
    firstRecordedAt(sql, since),
  );
  if (first === null) return null;
  const { from, to } = first;
  return { from: from.toISOString(), ...(to !== null && { to: to.toISOString() }) };
}

function addressOf(chosen: Record<string, string>, search: Awaited<Search>): URLSearchParams {
  const params = new URLSearchParams(chosen);
  for (const [name, value] of Object.entries(search)) {
    for (const each of [value ?? []].flat()) params.append(name, each);
  }
  return params;
}

async function History() {
  const { sql } = getSharedDb();
  const [choices, newestAt] = await Promise.all([listFilterChoices(sql), newestTurnAt(sql)]);
  return <HistoryPanel choices={choices} newestAt={newestAt} />;
}
