'use client';
/**
 * What the page shows: history and the sessions of the range, each read anew when the address changes or time
 * goes on, and only while somebody looks. What was read stays until its successor is here; each of the two fails
 * alone.
 */
import { useState, useSyncExternalStore } from 'react';
import type { History, HistorySessionList } from '@/core/api/history';
import { useClock } from '../live/use-clock';
import { useRefreshed } from '../session/use-refreshed';
import { fetchHistory, fetchHistorySessions, historyPath, historySessionsPath } from './fetch-history';
import { type ShownRange, shownRange } from './history-range';
import type { HistoryUrl } from './use-history-url';

export interface Part<T> {
  /** The last answer; null before the first. */
  value: T | null;
  /** Another one was asked for. */
  pending: boolean;
  failed: boolean;
}

export interface HistoryData {
  range: ShownRange;
  history: Part<History>;
  sessions: Part<HistorySessionList>;
}

const seen = (listener: () => void) => {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
};

export function useHistoryData(url: HistoryUrl, zone: string): HistoryData {
  const end = useClock((now) => shownRange(url, now).to);
  const range = shownRange(url, end - 1);
  const isSeen = useSyncExternalStore(
    seen,
    () => document.visibilityState === 'visible',
    () => false,
  );

  return {
    range,
    history: usePart(isSeen ? historyPath(range, url, zone) : null, fetchHistory),
    sessions: usePart(isSeen ? historySessionsPath(range, url) : null, fetchHistorySessions),
  };
}

function usePart<T>(path: string | null, fetch: (path: string, signal: AbortSignal) => Promise<T>): Part<T> {
  const [held, setHeld] = useState<{ path: string; value: T } | null>(null);
  const { pending, failed } = useRefreshed(
    path,
    async (signal) => {
      // The path of the moment in which the reading begins.
      const asked = path ?? '';
      return { path: asked, value: await fetch(asked, signal) };
    },
    (answer, wanted) => {
      setHeld(answer);
      return answer.path === wanted;
    },
  );
  return { value: held?.value ?? null, pending: pending || (path !== null && held === null), failed };
}
