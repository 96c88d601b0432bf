import { queryOptions } from '@tanstack/react-query';
import type { TranscriptLost } from '@/core/api/transcript-lost';
import type { TranscriptList } from '@/core/api/transcripts';
import { fetchJson } from './fetch-json';

/**
 * All transcripts of a session, from all pages: the copies of the first compaction are on the last page.
 * @param version changes whenever the state of the archive changes
 */
export const sessionTranscriptsQuery = (sessionId: string, version: string) =>
  queryOptions({
    queryKey: ['transcripts', 'session', sessionId, version],
    queryFn: async ({ signal }) => {
      const all: TranscriptList['transcripts'] = [];
      const params = new URLSearchParams({ session: sessionId, limit: '100' });
      for (let isMore = true; isMore; ) {
        const page = await fetchJson<TranscriptList>(`/api/v1/transcripts?${params}`, { signal });
        all.push(...page.transcripts);
        isMore = page.nextCursor !== null;
        params.set('cursor', page.nextCursor ?? '');
      }
      return all;
    },
  });

/** @param at time of the compaction, ms since the epoch; null: the last one */
export const lostQuery = (id: string, at: number | null) =>
  queryOptions({
    queryKey: ['transcripts', id, 'lost', at],
    queryFn: ({ signal }) =>
      fetchJson<TranscriptLost>(`/api/v1/transcripts/${id}/lost${at === null ? '' : `?at=${at}`}`, {
        signal,
      }),
  });
