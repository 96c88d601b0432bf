'use client';
import { useCallback, useMemo } from 'react';
import { replacePageQuery, usePageQuery } from '../shell/page-query';
import { type FleetQuery, readFleetQuery, writeFleetQuery } from './fleet-query';

/** The query in the URL, and a way to change it without asking the server: all rows are here already. */
export function useFleetQuery(): [FleetQuery, (change: Partial<FleetQuery>) => void] {
  const search = usePageQuery();
  const query = useMemo(() => readFleetQuery(new URLSearchParams(search)), [search]);
  const change = useCallback((part: Partial<FleetQuery>) => {
    const current = readFleetQuery(new URLSearchParams(location.search));
    replacePageQuery(writeFleetQuery({ ...current, ...part }));
  }, []);
  return [query, change];
}
