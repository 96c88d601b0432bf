'use client';
import { useInfiniteQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import { transcriptListQuery } from '../../../data/transcript-queries';
import { useTimeZone } from '../../../data/use-time-zone';
import { formatCount } from '../../../format/format-tokens';
import { Button } from '../../../ui/button';
import { PanelBoundary } from '../../../ui/panel-boundary';
import { ReadFailure } from '../../../ui/part-notice';
import { useDebounced } from '../../../ui/use-deferred';
import { TranscriptTable } from './transcript-table';
import { TranscriptsEmpty } from './transcripts-empty';
import { TranscriptsFilter } from './transcripts-filter';
import { isFiltered, joinPages, NO_FILTERS, TRANSCRIPTS_QUERY, transcriptsSearch } from './transcripts-query';

const TYPING_MS = 250;

interface TranscriptsPanelProps {
  projects: readonly string[];
  /** `cd … && npx barograph`, with the data folder of this server. */
  command: string;
}

export function TranscriptsPanel({ projects, command }: TranscriptsPanelProps) {
  const [query, change] = useQueryStates(TRANSCRIPTS_QUERY, { history: 'replace', shallow: true });
  const search = useDebounced(transcriptsSearch(query, useTimeZone()), TYPING_MS);
  const read = useInfiniteQuery(transcriptListQuery(search));
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
          <Button disabled={read.isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {read.isFetchingNextPage ? 'Searching older' : 'Search older'}
          </Button>
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
      <ReadFailure what="The transcripts" error={error} hasData={rows !== undefined} />
      <PanelBoundary name="The list">
        {rows === undefined ? (
          <div className="min-h-[480px] border-t border-ink" aria-busy={error === null} />
        ) : isEmpty ? (
          <TranscriptsEmpty filtered={filtered} isPartly={isPartly} text={query.q} command={command} />
        ) : (
          <TranscriptTable
            rows={rows}
            total={total}
            query={query}
            sort={(sort, order) => void change({ sort, order })}
            isBusy={read.isPlaceholderData}
          />
        )}
        {hasMore ? (
          <Button className="my-[14px]" disabled={read.isFetching} onClick={() => void fetchNextPage()}>
            More transcripts
          </Button>
        ) : null}
      </PanelBoundary>
    </div>
  );
}

function countWords(total: number, filtered: boolean): string {
  if (total === 0) return filtered ? 'No matches' : 'None yet';
  return filtered ? formatCount(total, 'match', 'matches') : formatCount(total, 'transcript');
}
