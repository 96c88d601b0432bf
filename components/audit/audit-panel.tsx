'use client';
import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import './audit.css';
import { useTimeZone } from '../live/use-time-zone';
import { PanelBoundary } from '../ui/panel-boundary';
import { SpanWords } from '../ui/span-words';
import { AuditFilter } from './audit-filter';
import { AUDIT_QUERY, type AuditQuery, auditSearch, NO_AUDIT_FILTER } from './audit-query';
import { AuditHead, AuditRow } from './audit-row';
import { useAudit } from './use-audit';

/** Who is in the log besides tokens: pages of this server, commands of this machine, and what goes by itself. */
const OWN_ACTORS = ['browser', 'command', 'retention'];

interface AuditPanelProps {
  projects: readonly string[];
  /** Names of tokens that are good. */
  tokens: readonly string[];
}

/** Who read, searched, saved, unmasked or deleted what, and who changed settings, the newest first. */
export function AuditPanel({ projects, tokens }: AuditPanelProps) {
  const [query, setQuery] = useQueryStates(AUDIT_QUERY, { history: 'replace', shallow: true });
  const change = (part: Partial<AuditQuery>) => void setQuery(part);
  const search = auditSearch(query);
  const { entries, hasMore, pending, failed, more, retry } = useAudit(search);
  const zone = useTimeZone();
  const actors = [...new Set([...OWN_ACTORS, ...tokens, ...(entries ?? []).map(({ actor }) => actor)])];
  return (
    <div className="page-x pb-[48px]">
      <header className="flex flex-wrap items-baseline gap-x-[16px] gap-y-[2px] pt-[14px] pb-[10px]">
        <h1 className="text-title">Audit log</h1>
        <p className="text-ink2">
          Who read, searched, saved, unmasked or deleted transcripts, and who changed settings and tokens
        </p>
        <Link href="/settings" prefetch={false} className="link ml-auto text-small">
          Settings
        </Link>
      </header>
      <AuditFilter query={query} change={change} projects={projects} actors={actors} />
      {search === '' ? null : (
        <div className="flex min-h-[32px] flex-wrap items-center gap-x-[12px] gap-y-[4px] border-t border-hair py-[4px] text-small">
          {query.transcript === '' ? null : <p className="text-ink2">one transcript alone</p>}
          <SpanWords from={query.from} to={query.to} change={change} />
          <button type="button" className="button h-[22px]" onClick={() => void setQuery(NO_AUDIT_FILTER)}>
            Show all
          </button>
        </div>
      )}
      <p role="status" className={failed === null ? 'sr-only' : 'border-t border-hair py-[8px]'}>
        {failed === null ? null : (
          <>
            The audit log could not be read{entries === null ? '' : ' again; what is shown stays as it was'}.{' '}
            <span className="text-ink2">{failed}</span>{' '}
            <button type="button" className="button ml-[8px]" onClick={retry}>
              Try again
            </button>
          </>
        )}
      </p>
      <PanelBoundary name="The audit log">
        {entries === null ? (
          <div className="min-h-[320px] border-t border-ink" aria-busy={failed === null} />
        ) : entries.length === 0 ? (
          <p className="border-t border-ink py-[14px]">
            {search === ''
              ? 'Nothing was done yet that is written down here: reading a transcript, a changed setting, a new token.'
              : 'No entry matches.'}
          </p>
        ) : (
          <table aria-label="Audit log" aria-busy={pending} className="audit">
            <AuditHead />
            <tbody>
              {entries.map((entry) => (
                <AuditRow
                  key={entry.id}
                  entry={entry}
                  zone={zone}
                  only={{ actor: (actor) => change({ actor }) }}
                />
              ))}
            </tbody>
          </table>
        )}
        {hasMore ? (
          <button type="button" className="button mt-[12px]" disabled={pending} onClick={more}>
            Older ones
          </button>
        ) : null}
      </PanelBoundary>
    </div>
  );
}
