'use client';
/**
 * The query of the page's address, read from the address itself.
 *
 * The router tells of a changed query in a transition, which a busy live page may put off: a filter would
 * wait for the next quiet moment. Here a change is seen at once by everybody on the page.
 */
import { useSearchParams } from 'next/navigation';
import { useSyncExternalStore } from 'react';
import { createListeners } from '../live/listeners';

const listeners = createListeners();

/** Replaces the query (`?q=…`, or the empty string) in place, without asking the server. */
export function replacePageQuery(search: string): void {
  history.replaceState(null, '', location.pathname + search);
  listeners.notify();
}

function subscribe(listener: () => void): () => void {
  const remove = listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    remove();
    window.removeEventListener('popstate', listener);
  };
}

/** The query as text, with its question mark; the empty string without one. */
export function usePageQuery(): string {
  // On the server, and for navigations of the router, which fire no event.
  const params = useSearchParams().toString();
  return useSyncExternalStore(
    subscribe,
    () => location.search,
    () => (params === '' ? '' : `?${params}`),
  );
}
