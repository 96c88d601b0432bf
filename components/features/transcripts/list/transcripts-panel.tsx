'use client';
import { useInfiniteQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { useEffect, useMemo, useState } from 'react';
import { useLive } from '../../../data/live-provider';
import { useLiveRefresh } from '../../../data/use-live-refresh';
import { useTimeZone } from '../../../data/use-time-zone';
import { formatCount } from '../../../format/format-tokens';
import { PanelBoundary } from '../../../ui/panel-boundary';
import { useDebounced } from '../../../ui/use-deferred';
import { transcriptListQuery } from '../transcript-queries';
import { TranscriptTable } from './transcript-table';
import { TranscriptsEmpty } from './transcripts-empty';
import { TranscriptsFilter } from './transcripts-filter';
import { isFiltered, joinPages, NO_FILTERS, TRANSCRIPTS_QUERY, transcriptsSearch } from './transcripts-query';

const TYPING_MS = 250;

interface TranscriptsPanelProps {
  projects: readonly string[];
  /** `cd … && npx barograph`, as it reaches this server. */
  command: string;
}

/** All transcripts in any state, filtered, sorted, and searched by their text. */
export function TranscriptsPanel({ projects, command }: TranscriptsPanelProps) {
  const [query, change] = useQueryStates(TRANSCRIPTS_QUERY, { history: 'replace', shallow: true });
  const search = useDebounced(transcriptsSearch(query, useTimeZone()), TYPING_MS);
  const read = useInfiniteQuery(transcriptListQuery(search));
  useLiveRefresh(read, useArchiveNews());
  const { data, error, fetchNextPage } = read;
  const rows = useMemo(() => data && joinPages(data.pages), [data]);
  const last = data?.pages.at(-1);
  const hasMore = last?.nextCursor != null;
  /** The search has not reached the oldest archives. */
  const isPartly = !hasMore && last?.searchCursor != null;
  const total = Math.max(data?.pages[0]?.total ?? 0, rows?.length ?? 0);
  const filtered = isFiltered(query);
  const isEmpty = rows?.length === 0;

  return (
    <div className="page-x pb-[48px]">
      <header className="flex flex-wrap items-baseline gap-x-[16px] gap-y-[2px] pt-[14px] pb-[10px]">
        <h1 className="text-title">Transcripts</h1>
        <p className="text-ink2" role="status">
          {rows === undefined ? 'Loading' : countWords(total, filtered)}
          {isPartly ? ' so far; older transcripts not searched yet' : null}
        </p>
        {isPartly ? (
          <button
            type="button"
            className="button"
            disabled={read.isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {read.isFetchingNextPage ? 'Searching older' : 'Search older'}
          </button>
        ) : null}
        <Link href="/settings/audit" prefetch={false} className="link ml-auto text-small">
          Audit log
        </Link>
      </header>
      {isEmpty && !filtered ? null : (
        <TranscriptsFilter
          query={query}
          change={(part) => void change(part)}
          projects={projects}
          clear={filtered ? () => void change(NO_FILTERS) : null}
        />
      )}
      <p role="status" className={error === null ? 'sr-only' : 'border-t border-hair py-[8px]'}>
        {error === null ? null : (
          <>
            The transcripts could not be {rows === undefined ? 'loaded' : 'refreshed'}.{' '}
            <span className="text-ink2">{error.message}</span>{' '}
            <button type="button" className="button ml-[8px]" onClick={() => void read.refetch()}>
              Retry
            </button>
          </>
        )}
      </p>
      <PanelBoundary name="The list">
        {rows === undefined ? (
          <div className="min-h-[480px] border-t border-ink" aria-busy={error === null} />
        ) : isEmpty ? (
          <TranscriptsEmpty filtered={filtered} isPartly={isPartly} text={query.q} command={command} />
        ) : (
          <TranscriptTable
            rows={rows}
            total={total}
            hasMore={hasMore}
            query={query}
            sort={(sort, order) => void change({ sort, order })}
            isBusy={read.isPlaceholderData}
            more={read.isFetching || error !== null ? null : fetchNextPage}
          />
        )}
      </PanelBoundary>
    </div>
  );
}

/** A number that changes when an archive arrives or a compaction happens. */
function useArchiveNews(): number {
  const { client } = useLive();
  const [news, setNews] = useState(0);
  useEffect(
    () =>
      client.watchEvents(({ type, events }) => {
        const isNews = events.some(({ kind }) => /^archive_|^compaction$/.test(kind));
        if (type === 'events_delta' && isNews) setNews((count) => count + 1);
      }),
    [client],
  );
  return news;
}

function countWords(total: number, filtered: boolean): string {
  if (total === 0) return filtered ? 'No matches' : 'None yet';
  return `${formatCount(total, 'transcript')}${filtered ? ' match' : ''}${filtered && total === 1 ? 'es' : ''}`;
}

/** The page's layout before its data. */
export function TranscriptsSkeleton() {
  return (
    <div className="page-x pb-[48px]" aria-busy="true">
      <header className="pt-[14px] pb-[10px]">
        <h1 className="text-title">Transcripts</h1>
      </header>
      <div className="min-h-[40px] border-t border-ink" />
      <div className="min-h-[34px] border-t border-hair" />
      <div className="min-h-[480px] border-t border-ink" />
    </div>
  );
}
