'use client';
/**
 * Client data: TanStack Query for everything a screen reads over the API.
 *
 * - Keys start with the resource: `['sessions', id, 'events', filter]`. A feature keeps its keys and paths in one
 *   `<subject>-queries.ts` of `queryOptions(...)` factories, so that readers and invalidation share them.
 * - A filter that changes keeps the last answer on screen (`placeholderData: keepPreviousData`), never across ids.
 * - Live hints say that data changed, not what: call `useLiveRefresh(query, hint)`.
 * - Failures are `ApiError`. What may pass is retried: twice at once, then every 15 s while the page is visible.
 *   Meanwhile `query.error` is set, and the last data stays.
 */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { mayRetry } from './fetch-json';

const RETRY_EVERY_MS = 15_000;

/** The `refetchInterval` that retries a failed query; false: it did not fail, or would fail again. */
export function retryInterval({ state }: { state: { status: string; error: unknown } }): number | false {
  return state.status === 'error' && mayRetry(state.error) ? RETRY_EVERY_MS : false;
}

function createClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // A server on this machine answers an offline browser too.
        networkMode: 'always',
        staleTime: 5_000,
        retry: (failures, error) => failures < 2 && mayRetry(error),
        refetchInterval: retryInterval,
      },
      mutations: { networkMode: 'always' },
    },
  });
}

export function QueryProvider({ children }: { children: ReactNode }) {
  const [client] = useState(createClient);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
