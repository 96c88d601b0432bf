import { notFound, redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { loadKnown } from './load-known';

interface TranscriptLayoutProps {
  params: Promise<{ id: string }>;
  children: ReactNode;
}

/** Settles whether there is such a transcript before anything streams: afterwards the status can no longer say 404. */
export default async function TranscriptLayout({ params, children }: TranscriptLayoutProps) {
  const { id } = await params;
  const known = await loadKnown(id);
  if (!known) notFound();
  // Known by its archive's id until it had a row, it has an address of its own by now.
  if (known.transcript.id !== id.toLowerCase()) redirect(`/transcripts/${known.transcript.id}`);
  return children;
}
