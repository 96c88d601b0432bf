import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { preload } from 'react-dom';
import { firstPaths } from '@/components/data/transcript-queries';
import { TranscriptPanel } from '@/components/features/transcripts/conversation/transcript-panel';
import { loadKnown } from './load-known';

export const metadata: Metadata = { title: 'Transcript' };

interface TranscriptPageProps {
  params: Promise<{ id: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

/** The server renders the facts of the transcript. The browser loads the content, in which the API masks secrets. */
export default async function TranscriptPage({ params, searchParams }: TranscriptPageProps) {
  const [{ id }, { line, at, view }] = await Promise.all([params, searchParams]);
  const known = (await loadKnown(id))?.transcript;
  if (known === undefined) notFound();
  const beginsAtTop = line === undefined && at === undefined && view === undefined;
  if (beginsAtTop && known.state === 'stored') {
    for (const path of firstPaths(known.id)) preload(path, { as: 'fetch', crossOrigin: 'anonymous' });
  }
  return <TranscriptPanel key={id} id={id} known={known} />;
}
