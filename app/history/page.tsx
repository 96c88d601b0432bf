import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { redirect } from 'next/navigation';
import { Suspense } from 'react';
import { firstRange } from '@/components/history/first-range';
import { HistoryPanel } from '@/components/history/history-panel';
import { DEFAULT_RANGE } from '@/components/history/history-range';
import { HistorySkeleton } from '@/components/history/history-skeleton';
import { PREFERENCES_COOKIE, readPreferences } from '@/components/preferences/preferences';
import { firstRecordedAt } from '@/db/queries/first-recorded-at';
import { listFilterChoices } from '@/db/queries/list-projects';
import { newestTurnAt } from '@/db/queries/newest-turn-at';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'History' };

const FILTERS = ['project', 'runner', 'model'];

type Search = Promise<Record<string, string | string[] | undefined>>;

/**
 * The range goes into the address at the first look, as every other choice: the link then shows a colleague the same
 * picture. It is the one that this browser prefers, or else one that holds something.
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
  // What is chosen has another beginning than the whole, which its own page tells.
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
