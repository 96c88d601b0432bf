'use client';
import { useSearchParams } from 'next/navigation';
import { useCallback, useMemo } from 'react';
import { type FleetQuery, readFleetQuery, writeFleetQuery } from './fleet-query';

/** The query in the URL, and a way to change it without asking the server: all rows are here already. */
export function useFleetQuery(): [FleetQuery, (change: Partial<FleetQuery>) => void] {
  const params = useSearchParams();
  const query = useMemo(() => readFleetQuery(params), [params]);
  const change = useCallback((part: Partial<FleetQuery>) => {
    const current = readFleetQuery(new URLSearchParams(location.search));
    history.replaceState(null, '', location.pathname + writeFleetQuery({ ...current, ...part }));
  }, []);
  return [query, change];
}
