'use client';
/** The rows of a query, page by page; archives that arrive refresh them. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { TranscriptList } from '@/core/api/transcripts';
import { useLive } from '../../../data/live-provider';
import { useLiveRefresh } from '../../../data/use-live-refresh';
import { useDebounced } from '../../../ui/use-deferred';
import { transcriptListQuery } from '../transcript-queries';

export type ListedTranscript = TranscriptList['transcripts'][number];

const TYPING_MS = 250;
const HITS_SHOWN = 3;

export function useTranscripts(search: string) {
  const { client } = useLive();
  const query = useInfiniteQuery(transcriptListQuery(useDebounced(search, TYPING_MS)));
  const [news, setNews] = useState(0);
  useEffect(
    () =>
      client.watchEvents((frame) => {
        const kinds = frame.events.map(({ kind }) => kind);
        const isNews = kinds.some((kind) => /^archive_|^compaction$/.test(kind));
        if (frame.type === 'events_delta' && isNews) setNews((count) => count + 1);
      }),
    [client],
  );
  useLiveRefresh(query, news);
  const pages = query.data?.pages;
  const rows = useMemo(() => (pages === undefined ? null : joinPages(pages)), [pages]);
  const last = pages?.at(-1);
  return {
    query,
    rows,
    total: Math.max(pages?.[0]?.total ?? 0, rows?.length ?? 0),
    hasMore: last?.nextCursor != null,
    /** The search has not reached the oldest archives. */
    isPartly: last?.nextCursor == null && last?.searchCursor != null,
  };
}

/** Each transcript once: a search that continues may find more places in one. */
export function joinPages(pages: readonly Pick<TranscriptList, 'transcripts'>[]): ListedTranscript[] {
  const rows = new Map<string, ListedTranscript>();
  for (const row of pages.flatMap(({ transcripts }) => transcripts)) {
    const known = rows.get(row.id);
    if (known === undefined || row.hitCount === null) {
      rows.set(row.id, row);
      continue;
    }
    const hits = [...known.hits, ...row.hits].slice(0, HITS_SHOWN);
    rows.set(row.id, { ...row, hits, hitCount: (known.hitCount ?? 0) + row.hitCount });
  }
  return [...rows.values()];
}
