import type { Metadata } from 'next';
import { ComparePanel } from '@/components/compare/compare-panel';
import { readCompareUrl } from '@/components/compare/compare-url';
import { loadSide } from './load-side';

export const metadata: Metadata = { title: 'Compare' };

type Search = Promise<Record<string, string | string[] | undefined>>;

/** Two sessions or contexts, as the address names them; what it does not name is asked for. */
export default async function ComparePage({ searchParams }: { searchParams: Search }) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(await searchParams)) {
    const first = [value ?? []].flat()[0];
    if (first !== undefined) params.set(name, first);
  }
  const url = readCompareUrl(params);
  const [a, b] = await Promise.all([loadSide(url.a), loadSide(url.b)]);
  return <ComparePanel a={a} b={b} />;
}
