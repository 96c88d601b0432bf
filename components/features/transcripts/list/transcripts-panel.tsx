'use client';
import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import './transcripts.css';
import { useTimeZone } from '../../../data/use-time-zone';
import { formatCount } from '../../../format/format-tokens';
import { PanelBoundary } from '../../../ui/panel-boundary';
import { TranscriptTable } from './transcript-table';
import { TranscriptsEmpty } from './transcripts-empty';
import { TranscriptsFilter } from './transcripts-filter';
import { isFiltered, NO_FILTERS, TRANSCRIPTS_QUERY, transcriptsSearch } from './transcripts-query';
import { useTranscripts } from './use-transcripts';

interface TranscriptsPanelProps {
  projects: readonly string[];
  /** `cd … && npx barograph`, as it reaches this server. */
  command: string;
}

/** All transcripts in any state, filtered, sorted, and searched by their text. */
export function TranscriptsPanel({ projects, command }: TranscriptsPanelProps) {
  const [query, change] = useQueryStates(TRANSCRIPTS_QUERY, { history: 'replace', shallow: true });
  const zone = useTimeZone();
  const search = transcriptsSearch(query, zone);
  const { query: read, rows, total, hasMore, isPartly } = useTranscripts(search);
  const { error, isFetching, isFetchingNextPage, fetchNextPage } = read;
  const filtered = isFiltered(query);
  const isEmpty = rows?.length === 0;

  return (
    <div className="page-x pb-[48px]">
      <header className="flex flex-wrap items-baseline gap-x-[16px] gap-y-[2px] pt-[14px] pb-[10px]">
        <h1 className="text-title">Transcripts</h1>
        <p className="text-ink2" role="status">
          {rows === null ? 'Loading' : countWords(total, filtered)}
          {isPartly ? ' so far; older transcripts not searched yet' : null}
        </p>
        {isPartly ? (
          <button
            type="button"
            className="button"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {isFetchingNextPage ? 'Searching older' : 'Search older'}
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
            {rows === null
              ? 'The transcripts could not be loaded.'
              : 'The transcripts could not be refreshed.'}{' '}
            <span className="text-ink2">{error.message}</span>{' '}
            <button type="button" className="button ml-[8px]" onClick={() => void read.refetch()}>
              Retry
            </button>
          </>
        )}
      </p>
      <PanelBoundary name="The list">
        {rows === null ? (
          <div className="min-h-[480px] border-t border-ink" aria-busy={error === null} />
        ) : isEmpty ? (
          <TranscriptsEmpty filtered={filtered} isPartly={isPartly} query={query} command={command} />
        ) : (
          <TranscriptTable
            rows={rows}
            total={total}
            hasMore={hasMore}
            query={query}
            sort={(sort, order) => void change({ sort, order })}
            isBusy={read.isPlaceholderData}
            more={isFetching || error !== null ? null : () => void fetchNextPage()}
          />
        )}
      </PanelBoundary>
    </div>
  );
}

function countWords(total: number, filtered: boolean): string {
  if (total === 0) return filtered ? 'No matches' : 'None yet';
  return `${formatCount(total, 'transcript')}${filtered ? ' match' : ''}${filtered && total === 1 ? 'es' : ''}`;
}
