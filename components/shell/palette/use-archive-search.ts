'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { TranscriptList } from '@/core/api/transcripts';
import { fetchJson } from '../../data/fetch-json';
import { useDebounced } from '../../ui/use-deferred';

const MOST_SHOWN = 8;
const TYPING_MS = 120;

interface ArchiveSearch {
  archives: TranscriptList['transcripts'];
  status: 'ready' | 'asking' | 'failed';
}

/** Stored archives, the newest first. @param session a session's id, or words of its title; null: no search */
export function useArchiveSearch(session: string | null): ArchiveSearch {
  const asked = useDebounced(session, TYPING_MS);
  const { data, isError, isPlaceholderData } = useQuery({
    queryKey: ['transcripts', 'search', asked],
    queryFn: ({ signal }) => {
      const params = new URLSearchParams({ state: 'stored', limit: String(MOST_SHOWN) });
      if (asked) params.set('session', asked.slice(0, 200));
      return fetchJson<TranscriptList>(`/api/v1/transcripts?${params}`, { signal });
    },
    enabled: asked !== null,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const isCurrent = asked === session && !isPlaceholderData;
  if (isCurrent && isError) return { archives: [], status: 'failed' };
  if (data === undefined || !isCurrent) return { archives: [], status: 'asking' };
  return { archives: data.transcripts, status: 'ready' };
}
