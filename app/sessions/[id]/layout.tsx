import { notFound, permanentRedirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { loadPageSession } from './load-page-session';

interface SessionLayoutProps {
  params: Promise<{ id: string }>;
  children: ReactNode;
}

/**
 * Settles whether the session exists, and under which id, before the skeleton streams: once that has begun the
 * status is 200 and can no longer say 404 or 308.
 */
export default async function SessionLayout({ params, children }: SessionLayoutProps) {
  const { id } = await params;
  const loaded = await loadPageSession(id);
  if (!loaded) notFound();
  if (loaded.session.id !== id) permanentRedirect(`/sessions/${loaded.session.id}`);
  return children;
}
