import type { Metadata } from 'next';
import { ComparePanel } from '@/components/features/compare/compare-panel';
import { loadCompareUrl } from '@/components/sessions/compare-url';
import { newestTurnAt } from '@/db/queries/live-fleet';
import { getSharedDb } from '@/db/shared-client';
import { loadSide } from './load-side';

export const metadata: Metadata = { title: 'Compare' };

type Search = Promise<Record<string, string | string[] | undefined>>;

export default async function ComparePage({ searchParams }: { searchParams: Search }) {
  const url = await loadCompareUrl(searchParams);
  const { sql, place } = getSharedDb();
  const [a, b, newestAt] = await Promise.all([loadSide(url.a), loadSide(url.b), newestTurnAt(sql)]);
  return <ComparePanel a={a} b={b} place={newestAt === null ? place : null} />;
}
