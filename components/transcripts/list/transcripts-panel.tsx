'use client';
import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import './transcripts.css';
import { formatCount } from '../../format/format-tokens';
import { useTimeZone } from '../../live/use-time-zone';
import { PanelBoundary } from '../../ui/panel-boundary';
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

/** Everything archived, announced, on its way, skipped, failed or deleted; found by what is said in it. */
export function TranscriptsPanel({ projects, command }: TranscriptsPanelProps) {
  const [query, change] = useQueryStates(TRANSCRIPTS_QUERY, { history: 'replace', shallow: true });
  const zone = useTimeZone();
  const search = transcriptsSearch(query, zone);
  const { held, reading, failed, more, searchOn, retry } = useTranscripts(search);
  const filtered = isFiltered(query);
  const isPartly = held !== null && held.searchCursor !== null;
  const isEmpty = held !== null && held.rows.length === 0;

  return (
    <div className="page-x pb-[48px]">
      <header className="flex flex-wrap items-baseline gap-x-[16px] gap-y-[2px] pt-[14px] pb-[10px]">
        <h1 className="text-title">Transcripts</h1>
        <p className="text-ink2" role="status">
          {held === null ? 'Reading' : countWords(held.total, filtered)}
          {isPartly ? ' so far: the search has not reached the oldest ones.' : null}
        </p>
        {isPartly ? (
          <button type="button" className="button" disabled={reading !== null} onClick={searchOn}>
            {reading === 'older' ? 'Searching on' : 'Search on'}
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
      <p role="status" className={failed === null ? 'sr-only' : 'border-t border-hair py-[8px]'}>
        {failed === null ? null : (
          <>
            {held === null
              ? 'The transcripts could not be read; the rest of Barograph works.'
              : 'The transcripts could not be read again; what is shown stays as it was.'}{' '}
            <span className="text-ink2">{failed}</span>{' '}
            <button type="button" className="button ml-[8px]" onClick={retry}>
              Try again
            </button>
          </>
        )}
      </p>
      <PanelBoundary name="The list">
        {held === null ? (
          <div className="min-h-[480px] border-t border-ink" aria-busy={failed === null} />
        ) : isEmpty ? (
          <TranscriptsEmpty filtered={filtered} isPartly={isPartly} query={query} command={command} />
        ) : (
          <TranscriptTable
            held={held}
            query={query}
            sort={(sort, order) => void change({ sort, order })}
            isBusy={reading === 'first'}
            more={reading === null && failed === null ? more : null}
          />
        )}
      </PanelBoundary>
    </div>
  );
}

function countWords(total: number, filtered: boolean): string {
  if (total === 0) return filtered ? 'None matches' : 'None yet';
  return `${formatCount(total, 'transcript')}${filtered ? ' match' : ''}${filtered && total === 1 ? 'es' : ''}`;
}
