'use client';
import Link from 'next/link';
import type { AuditEntry } from '@/core/api/audit';
import { formatInstant } from '../format/format-time';
import { When } from '../ui/when';
import { ACTION_WORDS, detailWords } from './audit-words';

interface AuditRowProps {
  entry: AuditEntry;
  zone: string;
  /** Shows the entries of one alone; null: no way to. */
  only: { actor: (actor: string) => void } | null;
}

/** One entry: when, who, what, of which transcript or project. */
export function AuditRow({ entry, zone, only }: AuditRowProps) {
  const { transcriptId, project } = entry;
  const title = entry.sessionTitle ?? entry.fileName ?? 'a transcript';
  return (
    <tr>
      <td className="num" title={formatInstant(entry.at, zone)}>
        <When at={entry.at} />
        <span className="when text-ink2"> {formatInstant(entry.at, zone)}</span>
      </td>
      <td>
        {only === null ? (
          <bdi>{entry.actor}</bdi>
        ) : (
          <button
            type="button"
            className="link text-left"
            title="Only what this one did"
            onClick={() => only.actor(entry.actor)}
          >
            <bdi>{entry.actor}</bdi>
          </button>
        )}
      </td>
      <td>{ACTION_WORDS[entry.action]}</td>
      <td className="name">
        {transcriptId === null ? (
          <span className="text-ink2">
            {project !== null ? (
              <bdi>{project}</bdi>
            ) : entry.action === 'transcripts_searched' ? (
              'all transcripts'
            ) : (
              '–'
            )}
          </span>
        ) : (
          <>
            <Link href={`/transcripts/${transcriptId}`} prefetch={false} className="link">
              <bdi>{title}</bdi>
            </Link>
            {project === null ? null : (
              <span className="text-small text-ink2">
                {' '}
                · <bdi>{project}</bdi>
              </span>
            )}
          </>
        )}
      </td>
      <td className="text-ink2">
        <bdi>{detailWords(entry)}</bdi>
      </td>
    </tr>
  );
}

/** The names of its columns. */
export function AuditHead() {
  return (
    <thead>
      <tr>
        <th scope="col">when</th>
        <th scope="col">who</th>
        <th scope="col">what</th>
        <th scope="col">of what</th>
        <th scope="col">more</th>
      </tr>
    </thead>
  );
}
