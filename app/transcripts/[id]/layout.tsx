import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { loadKnown } from './load-known';

interface TranscriptLayoutProps {
  params: Promise<{ id: string }>;
  children: ReactNode;
}

/** Settles whether there is such a transcript before anything streams: afterwards the status can no longer say 404. */
export default async function TranscriptLayout({ params, children }: TranscriptLayoutProps) {
  const { id } = await params;
  if (!(await loadKnown(id))) notFound();
  return children;
}
