'use client';
import { useSearchParams } from 'next/navigation';
import { useCallback, useMemo } from 'react';
import { readSessionUrl, type SessionUrl, writeSessionUrl } from './session-url';

/**
 * The address as state. It is replaced in place: looking around a chart is no history worth going back
 * through, and the server has nothing to render anew.
 */
export function useSessionUrl(): [SessionUrl, (change: Partial<SessionUrl>) => void] {
  const params = useSearchParams();
  const url = useMemo(() => readSessionUrl(new URLSearchParams(params)), [params]);
  const change = useCallback((next: Partial<SessionUrl>) => {
    const query = writeSessionUrl(new URLSearchParams(window.location.search), next);
    window.history.replaceState(null, '', query === '' ? window.location.pathname : `?${query}`);
  }, []);
  return [url, change];
}
