import { notFound, redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { loadKnown } from './load-known';

interface TranscriptLayoutProps {
  params: Promise<{ id: string }>;
  children: ReactNode;
}

/** Answers 404 or redirects before the page streams: afterwards the status is 200. */
export default async function TranscriptLayout({ params, children }: TranscriptLayoutProps) {
  const { id } = await params;
  const known = await loadKnown(id);
  if (!known) notFound();
  // The URL has the id of the archive, from before the transcript had a row.
  if (known.transcript.id !== id.toLowerCase()) redirect(`/transcripts/${known.transcript.id}`);
  return children;
}
