'use client';
import Link from 'next/link';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import '../list/transcripts.css';
import './audit.css';
import type { AuditEntry } from '@/core/api/audit';
import { AUDIT_ACTIONS } from '@/core/transcript/audit-actions';
import { formatInstant } from '../../format/format-time';
import { useTimeZone } from '../../live/use-time-zone';
import { Ago } from '../../ui/ago';
import { PanelBoundary } from '../../ui/panel-boundary';
import { ACTION_WORDS, detailWords } from './audit-words';
import { useAudit } from './use-audit';

const PARSERS = {
  action: parseAsStringLiteral(AUDIT_ACTIONS),
  /** Id of a transcript. */
  transcript: parseAsString.withDefault(''),
};

/** Who read, saved, unmasked or deleted what, the newest first. */
export function AuditPanel() {
  const [query, change] = useQueryStates(PARSERS, { history: 'replace', shallow: true });
  const params = new URLSearchParams();
  if (query.action !== null) params.set('action', query.action);
  if (query.transcript !== '') params.set('transcript', query.transcript);
  const { entries, hasMore, pending, failed, more, retry } = useAudit(params.toString());
  const zone = useTimeZone();
  return (
    <div className="page-x pb-[48px]">
      <header className="flex flex-wrap items-baseline gap-x-[16px] gap-y-[2px] pt-[14px] pb-[10px]">
        <h1 className="text-title">Audit log of transcripts</h1>
        <p className="text-ink2">Who read, saved, unmasked or deleted what</p>
        <Link href="/transcripts" prefetch={false} className="link ml-auto text-small">
          Transcripts
        </Link>
      </header>
      <fieldset className="flex min-h-[40px] flex-wrap items-center gap-x-[15px] border-t border-ink">
        <legend className="sr-only">Only this action</legend>
        {AUDIT_ACTIONS.map((action) => {
          const isOn = query.action === action;
          return (
            <button
              key={action}
              type="button"
              aria-pressed={isOn}
              onClick={() => void change({ action: isOn ? null : action })}
              className={`h-[28px] border-y-[1.5px] border-t-transparent ${isOn ? 'border-b-ink' : 'border-b-transparent text-ink2 hover:border-b-hair2 hover:text-ink'}`}
            >
              {ACTION_WORDS[action]}
            </button>
          );
        })}
        {query.transcript === '' ? null : (
          <button type="button" className="button h-[22px]" onClick={() => void change({ transcript: '' })}>
            One transcript alone: show all
          </button>
        )}
      </fieldset>
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
            {params.size === 0 ? 'Nothing was done yet with any transcript.' : 'No entry matches.'}
          </p>
        ) : (
          <table aria-label="Audit log" aria-busy={pending} className="audit">
            <thead>
              <tr>
                <th scope="col">when</th>
                <th scope="col">who</th>
                <th scope="col">what</th>
                <th scope="col">transcript</th>
                <th scope="col">more</th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <Row key={entry.id} entry={entry} zone={zone} />
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

function Row({ entry, zone }: { entry: AuditEntry; zone: string }) {
  const title = entry.sessionTitle ?? entry.fileName ?? 'a transcript';
  return (
    <tr>
      <td className="num" title={formatInstant(entry.at, zone)}>
        <Ago at={entry.at} />
        <span className="when text-ink2"> {formatInstant(entry.at, zone)}</span>
      </td>
      <td>
        <bdi>{entry.actor}</bdi>
      </td>
      <td>{ACTION_WORDS[entry.action]}</td>
      <td className="name">
        {entry.transcriptId === null ? (
          <bdi>{title}</bdi>
        ) : (
          <Link href={`/transcripts/${entry.transcriptId}`} prefetch={false} className="link">
            <bdi>{title}</bdi>
          </Link>
        )}
        {entry.project === null ? null : (
          <span className="text-small text-ink2">
            {' '}
            · <bdi>{entry.project}</bdi>
          </span>
        )}
      </td>
      <td className="text-ink2">
        <bdi>{detailWords(entry)}</bdi>
      </td>
    </tr>
  );
}
