import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { loadTranscript } from '@/db/queries/transcripts/load-transcript';
import { getSharedDb } from '@/db/shared-client';

interface TranscriptLayoutProps {
  params: Promise<{ id: string }>;
  children: ReactNode;
}

/** Settles whether there is such a transcript before anything streams: afterwards the status can no longer say 404. */
export default async function TranscriptLayout({ params, children }: TranscriptLayoutProps) {
  const { id } = await params;
  if (!(await loadTranscript(getSharedDb().sql, id))) notFound();
  return children;
}
