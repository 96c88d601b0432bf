'use client';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import type { AuditList } from '@/core/api/audit';
import { fetchJson } from '../../../data/fetch-json';
import { PanelBoundary } from '../../../ui/panel-boundary';
import { SpanWords } from '../../../ui/span-words';
import { AuditFilter } from './audit-filter';
import { AUDIT_QUERY, type AuditQuery, auditSearch, NO_AUDIT_FILTER } from './audit-query';
import { AuditTable } from './audit-table';

/** Actors besides tokens. */
const OWN_ACTORS = ['browser', 'command', 'retention'];

interface AuditPanelProps {
  projects: readonly string[];
  /** Names of active tokens. */
  tokens: readonly string[];
}

/** The audit log with its filters, newest entries first. */
export function AuditPanel({ projects, tokens }: AuditPanelProps) {
  const [query, setQuery] = useQueryStates(AUDIT_QUERY, { history: 'replace', shallow: true });
  const change = (part: Partial<AuditQuery>) => void setQuery(part);
  const search = auditSearch(query);
  const audit = useInfiniteQuery({
    queryKey: ['audit', search],
    queryFn: ({ pageParam, signal }) => readPage(search, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  const entries = audit.data?.pages.flatMap((page) => page.entries) ?? null;
  const failed = audit.error;
  const actors = [...new Set([...OWN_ACTORS, ...tokens, ...(entries ?? []).map(({ actor }) => actor)])];
  return (
    <div className="page-x pb-[48px]">
      <header className="flex flex-wrap items-baseline gap-x-[16px] gap-y-[2px] pt-[14px] pb-[10px]">
        <h1 className="text-title">Audit log</h1>
        <p className="text-ink2">Access to transcripts, changes of settings and tokens</p>
        <Link href="/settings" prefetch={false} className="link ml-auto text-small">
          Settings
        </Link>
      </header>
      <AuditFilter query={query} change={change} projects={projects} actors={actors} />
      {search === '' ? null : (
        <div className="flex min-h-[32px] flex-wrap items-center gap-x-[12px] gap-y-[4px] border-t border-hair py-[4px] text-small">
          {query.transcript === '' ? null : <p className="text-ink2">One transcript</p>}
          <SpanWords from={query.from} to={query.to} change={change} />
          <button type="button" className="button h-[22px]" onClick={() => void setQuery(NO_AUDIT_FILTER)}>
            Show all
          </button>
        </div>
      )}
      <p role="status" className={failed === null ? 'sr-only' : 'border-t border-hair py-[8px]'}>
        {failed === null ? null : (
          <>
            The audit log could not be loaded{entries === null ? '' : '; these entries may be outdated'}.{' '}
            <span className="text-ink2">{failed.message}</span>{' '}
            <button type="button" className="button ml-[8px]" onClick={() => void audit.refetch()}>
              Try again
            </button>
          </>
        )}
      </p>
      <PanelBoundary name="The audit log">
        {entries === null ? (
          <div className="min-h-[320px] border-t border-ink" aria-busy={failed === null} />
        ) : entries.length === 0 ? (
          <p className="border-t border-ink py-[14px]">{search === '' ? 'No entries yet' : 'No matches'}</p>
        ) : (
          <AuditTable
            label="Audit log"
            busy={audit.isFetching}
            entries={entries}
            onActor={(actor) => change({ actor })}
          />
        )}
        {audit.hasNextPage ? (
          <button
            type="button"
            className="button mt-[12px]"
            disabled={audit.isFetching}
            onClick={() => void audit.fetchNextPage()}
          >
            Older entries
          </button>
        ) : null}
      </PanelBoundary>
    </div>
  );
}

function readPage(search: string, cursor: string | null, signal: AbortSignal): Promise<AuditList> {
  const params = new URLSearchParams(search);
  if (cursor !== null) params.set('cursor', cursor);
  return fetchJson<AuditList>(`/api/v1/audit?${params}`, { signal });
}
