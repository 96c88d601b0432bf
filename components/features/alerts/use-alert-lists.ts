'use client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { AlertChannel, AlertList, DeadLetter, StoredRule } from '@/core/api/alerts';
import { fetchJson } from '../../data/fetch-json';
import type { AlertsFrame } from '../../data/live-client';
import { useLiveRefresh } from '../../data/use-live-refresh';

export interface AlertsSeed extends Lists {
  open: AlertList;
  history: AlertList;
}

interface Lists {
  rules: StoredRule[];
  channels: AlertChannel[];
  letters: { deliveries: DeadLetter[]; total: number };
}

const read = <T>(path: string, signal: AbortSignal) =>
  fetchJson<T>(`/api/v1/${path}`, { signal, cache: 'no-store' });

/** History, rules, channels and dead letters. Reloaded when the live frame changes, and after an edit. */
export function useAlertLists(initial: AlertsSeed, frame: AlertsFrame | null) {
  const history = useInfiniteQuery({
    queryKey: ['alert-history'],
    initialData: { pages: [initial.history], pageParams: [''] },
    initialPageParam: '',
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ pageParam, signal }) => read<AlertList>(`alerts?phase=resolved&limit=50${pageParam}`, signal),
    getNextPageParam: ({ nextCursor }) => nextCursor && `&cursor=${nextCursor}`,
  });
  const query = useQuery({
    queryKey: ['alert-lists'],
    initialData: initial as Lists,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Lists> => {
      const [{ rules }, { channels }, letters] = await Promise.all([
        read<{ rules: StoredRule[] }>('alert-rules', signal),
        read<{ channels: AlertChannel[] }>('alert-channels', signal),
        read<Lists['letters']>('alert-deliveries', signal),
      ]);
      return { rules, channels, letters };
    },
  });
  const { alerts, deadLetters } = frame ?? {
    alerts: initial.open.alerts,
    deadLetters: initial.letters.total,
  };
  const hint = alerts.map(({ id, phase, acknowledgedAt }) => `${id}${phase}${acknowledgedAt}`).join();
  useLiveRefresh(query, `${hint} ${deadLetters}`);
  useLiveRefresh(history, hint);
  const older = history.hasNextPage ? () => void history.fetchNextPage() : null;
  const refresh = () => void Promise.all([query.refetch(), history.refetch()]);
  return { ...query.data, history: { pages: history.data.pages, older }, refresh };
}
