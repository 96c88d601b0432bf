'use client';
/**
 * TanStack Query for everything that a screen reads over the API. Keys start with the resource:
 * `['sessions', id, 'events', filter]`. A temporary failure is retried twice within seconds, then every 15 s while the
 * page is visible. Meanwhile `query.error` is set and the last data stays.
 */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { mayRetry } from './fetch-json';

const RETRY_EVERY_MS = 15_000;

/** The `refetchInterval` that retries a failed query; false: no retry. */
export function retryInterval({ state }: { state: { status: string; error: unknown } }): number | false {
  return state.status === 'error' && mayRetry(state.error) ? RETRY_EVERY_MS : false;
}

function createClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // A server on this machine is reachable even if the browser is offline.
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
