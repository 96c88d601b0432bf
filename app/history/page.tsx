import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { redirect } from 'next/navigation';
import { HistoryPanel } from '@/components/features/history/history-panel';
import { firstRange } from '@/components/features/history/history-range';
import { DEFAULT_RANGE } from '@/components/format/range-names';
import { PREFERENCES_COOKIE, readPreferences } from '@/components/preferences/preferences';
import { loadHistory } from '@/db/queries/history/load-history';
import { listFilterChoices } from '@/db/queries/list-filter-choices';
import { newestTurnAt } from '@/db/queries/live-fleet';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'History' };

type Search = Promise<Record<string, string | string[] | undefined>>;

/** Adds a missing range to the URL, unless the default range applies, so that a shared link shows the same data. */
export default async function HistoryPage({ searchParams }: { searchParams: Search }) {
  const search = await searchParams;
  if (search.range === undefined && search.from === undefined) {
    const { range } = readPreferences((await cookies()).get(PREFERENCES_COOKIE)?.value);
    const params = new URLSearchParams(range === DEFAULT_RANGE ? await recordedRange() : { range });
    const isChosen = params.size > 0;
    for (const [name, value] of Object.entries(search)) {
      for (const each of [value ?? []].flat()) params.append(name, each);
    }
    if (isChosen) redirect(`/history?${params}`);
  }
  const { sql, place } = getSharedDb();
  return <HistoryPanel choices={await listFilterChoices(sql)} place={place} />;
}

/** URL parameters of the first view. Empty: there are no turns, or the default range fits. */
async function recordedRange(): Promise<Record<string, string>> {
  const { sql } = getSharedDb();
  const newestAt = await newestTurnAt(sql);
  if (newestAt === null) return {};
  const now = Date.now();
  return firstRange(now, Date.parse(newestAt), (from, to) => loadHistory(sql, { from, to }, now));
}
