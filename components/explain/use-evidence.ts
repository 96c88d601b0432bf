'use client';
import { useQuery } from '@tanstack/react-query';
import type { Evidence } from '@/core/api/evidence';
import { fetchJson } from '../data/fetch-json';
import { useLiveRefresh } from '../data/use-live-refresh';

/** The evidence of a session, refreshed with each of its versions. */
export function useEvidence(id: string, version: number): { evidence: Evidence | null; failed: boolean } {
  const query = useQuery({
    queryKey: ['sessions', id, 'evidence'],
    queryFn: ({ signal }) =>
      fetchJson<Evidence>(`/api/v1/sessions/${encodeURIComponent(id)}/evidence`, { signal }),
    staleTime: 0,
  });
  useLiveRefresh(query, version);
  return { evidence: query.data ?? null, failed: query.failureCount > 0 };
}
