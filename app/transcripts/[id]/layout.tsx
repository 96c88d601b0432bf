import { notFound, redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { loadKnown } from './load-known';

interface TranscriptLayoutProps {
  params: Promise<{ id: string }>;
  children: ReactNode;
}

/** Answers 404 or redirects before the page streams, because streaming fixes the status at 200. */
export default async function TranscriptLayout({ params, children }: TranscriptLayoutProps) {
  const { id } = await params;
  const known = await loadKnown(id);
  if (!known) notFound();
  // An old URL has the archive's id instead of the transcript's id.
  if (known.transcript.id !== id.toLowerCase()) redirect(`/transcripts/${known.transcript.id}`);
  return children;
}
