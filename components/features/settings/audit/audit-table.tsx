'use client';
import Link from 'next/link';
import type { AuditEntry } from '@/core/api/audit';
import { useTimeZone } from '../../../data/use-time-zone';
import { formatInstant } from '../../../format/format-time';
import { When } from '../../../ui/ago';
import { DataTable } from '../../../ui/data-table';
import { actionWords, detailWords } from './audit-words';

interface AuditTableProps {
  label: string;
  entries: readonly AuditEntry[];
  busy?: boolean;
  /** Filters by an actor; without it actors are plain text. */
  onActor?: (actor: string) => void;
}

export function AuditTable({ label, entries, busy = false, onActor }: AuditTableProps) {
  const zone = useTimeZone();
  return (
    <DataTable
      label={label}
      busy={busy}
      rows={entries}
      first={entries.length}
      keyOf={({ id }) => String(id)}
      columns={[
        {
          head: 'time',
          cell: ({ at }) => (
            <span className="num whitespace-nowrap" title={formatInstant(at, zone)}>
              <When at={at} />
              <span className="pl-[10px] text-small text-ink2 max-lg:hidden">{formatInstant(at, zone)}</span>
            </span>
          ),
        },
        {
          head: 'actor',
          cell: ({ actor }) =>
            onActor === undefined ? (
              <bdi>{actor}</bdi>
            ) : (
              <button
                type="button"
                className="link min-w-[96px] text-left"
                title="Filter by this actor"
                onClick={() => onActor(actor)}
              >
                <bdi>{actor}</bdi>
              </button>
            ),
        },
        {
          head: 'action',
          cell: ({ action }) => <span className="whitespace-nowrap">{actionWords(action)}</span>,
        },
        { head: 'subject', wide: true, cell: (entry) => <Subject entry={entry} /> },
        {
          head: 'details',
          wide: true,
          cell: (entry) => <bdi className="block min-w-[140px] text-ink2">{detailWords(entry)}</bdi>,
        },
      ]}
    />
  );
}

function Subject({ entry }: { entry: AuditEntry }) {
  const { transcriptId, project, action } = entry;
  if (transcriptId === null) {
    const none = action === 'transcripts_searched' ? 'all transcripts' : '–';
    return <bdi className="text-ink2">{project ?? none}</bdi>;
  }
  return (
    <span>
      <Link href={`/transcripts/${transcriptId}`} prefetch={false} className="link">
        <bdi>{entry.sessionTitle ?? entry.fileName ?? 'a transcript'}</bdi>
      </Link>
      {project === null ? null : (
        <span className="text-small text-ink2">
          {' '}
          · <bdi>{project}</bdi>
        </span>
      )}
    </span>
  );
}

export function AuditLatest({ entries }: { entries: readonly AuditEntry[] }) {
  if (entries.length === 0) {
    return <p className="text-ink2">No entries yet. Reading a transcript or changing a setting adds one.</p>;
  }
  return (
    <>
      <AuditTable label="Latest entries of the audit log" entries={entries} />
      <Link href="/settings/audit" prefetch={false} className="button mt-[14px] inline-flex items-center">
        Open the audit log
      </Link>
    </>
  );
}
