'use client';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import Link from 'next/link';
import {
  parseAsArrayOf,
  parseAsIsoDateTime,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from 'nuqs';
import type { AuditList } from '@/core/api/audit';
import { AUDIT_ACTIONS } from '@/core/transcript/audit-actions';
import { fetchJson } from '../../../data/fetch-json';
import { searchOf } from '../../../data/search-of';
import { Button } from '../../../ui/button';
import { FilterSwitch, NameMenu, ProjectMenu } from '../../../ui/filter-bar';
import { GoToTime } from '../../../ui/go-to-time';
import { PanelBoundary } from '../../../ui/panel-boundary';
import { ReadFailure } from '../../../ui/part-notice';
import { SpanWords } from '../../../ui/span-words';
import { AuditTable } from './audit-table';
import { actionWords } from './audit-words';

const AUDIT_QUERY = {
  action: parseAsArrayOf(parseAsStringLiteral(AUDIT_ACTIONS)).withDefault([]),
  project: parseAsString.withDefault(''),
  /** Name of a token, `browser`, `command` or `retention`. */
  actor: parseAsString.withDefault(''),
  transcript: parseAsString.withDefault(''),
  from: parseAsIsoDateTime,
  to: parseAsIsoDateTime,
};

/** Actors besides tokens. */
const OWN_ACTORS = ['browser', 'command', 'retention'];

interface AuditPanelProps {
  projects: readonly string[];
  /** Names of active tokens. */
  tokens: readonly string[];
}

export function AuditPanel({ projects, tokens }: AuditPanelProps) {
  const [query, setQuery] = useQueryStates(AUDIT_QUERY, { history: 'replace', shallow: true });
  const search = searchOf(query);
  const audit = useInfiniteQuery({
    queryKey: ['audit', search],
    queryFn: ({ pageParam: cursor, signal }) =>
      fetchJson<AuditList>(`/api/v1/audit?${searchOf({ ...query, cursor })}`, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  const entries = audit.data?.pages.flatMap((page) => page.entries) ?? null;
  const actors = [...new Set([...OWN_ACTORS, ...tokens, ...(entries ?? []).map(({ actor }) => actor)])];
  return (
    <div className="page-x wide-type pb-[48px]">
      <header className="flex flex-wrap items-baseline gap-x-[16px] gap-y-[2px] pt-[14px] pb-[10px]">
        <h1 className="text-title">Audit log</h1>
        <p className="text-ink2">Access to transcripts, changes of settings and tokens</p>
        <Link href="/settings" prefetch={false} className="link ml-auto text-small">
          Settings
        </Link>
      </header>
      <div className="flex min-h-[40px] flex-wrap items-center gap-x-[18px] border-t border-ink">
        <fieldset className="flex flex-wrap items-center gap-x-[15px]">
          <legend className="sr-only">Only these actions</legend>
          {AUDIT_ACTIONS.map((action) => {
            const others = query.action.filter((other) => other !== action);
            const isOn = others.length < query.action.length;
            const toggle = () => setQuery({ action: isOn ? others : [...others, action] });
            return (
              <FilterSwitch key={action} isOn={isOn} toggle={toggle}>
                {actionWords(action)}
              </FilterSwitch>
            );
          })}
        </fieldset>
        <NameMenu
          label="Filter by actor"
          value={query.actor}
          none="actor"
          names={actors}
          onChange={(actor) => setQuery({ actor })}
        />
        <ProjectMenu
          value={query.project}
          projects={projects}
          onChange={(project) => setQuery({ project })}
        />
        <GoToTime
          before={Date.now}
          onGo={({ at, spanMs }) => setQuery({ from: null, to: new Date(at + spanMs - 1) })}
        />
      </div>
      {search === '' ? null : (
        <div className="flex min-h-[32px] flex-wrap items-center gap-x-[12px] gap-y-[4px] border-t border-hair py-[4px] text-small">
          {query.transcript === '' ? null : <p className="text-ink2">One transcript</p>}
          <SpanWords from={query.from} to={query.to} change={setQuery} />
          <Button className="h-[22px]" onClick={() => void setQuery(null)}>
            Show all
          </Button>
        </div>
      )}
      <ReadFailure what="The audit log" error={audit.error} hasData={entries !== null} />
      <PanelBoundary name="The audit log">
        {entries === null ? (
          <div className="min-h-[320px] border-t border-ink" aria-busy={audit.error === null} />
        ) : entries.length === 0 ? (
          <p className="border-t border-ink py-[14px]">{search === '' ? 'No entries yet' : 'No matches'}</p>
        ) : (
          <div className="mt-[6px] border-t border-ink pt-[6px]">
            <AuditTable
              label="Audit log"
              busy={audit.isFetching}
              entries={entries}
              onActor={(actor) => void setQuery({ actor })}
            />
          </div>
        )}
        {audit.hasNextPage ? (
          <Button
            className="mt-[12px]"
            disabled={audit.isFetching}
            onClick={() => void audit.fetchNextPage()}
          >
            Older entries
          </Button>
        ) : null}
      </PanelBoundary>
    </div>
  );
}
