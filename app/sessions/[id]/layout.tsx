import { notFound, permanentRedirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { loadPageSession } from './load-page-session';

interface SessionLayoutProps {
  params: Promise<{ id: string }>;
  children: ReactNode;
}

/** Answers 404 or redirects before the skeleton streams, because streaming fixes the status at 200. */
export default async function SessionLayout({ params, children }: SessionLayoutProps) {
  const { id } = await params;
  const loaded = await loadPageSession(id);
  if (!loaded) notFound();
  if (loaded.session.id !== id) permanentRedirect(`/sessions/${loaded.session.id}`);
  return children;
}
