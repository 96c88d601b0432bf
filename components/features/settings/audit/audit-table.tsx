'use client';
import Link from 'next/link';
import type { AuditEntry } from '@/core/api/audit';
import type { AuditAction } from '@/core/transcript/audit-actions';
import { useTimeZone } from '../../../data/use-time-zone';
import { formatBytes } from '../../../format/format-bytes';
import { formatInstant } from '../../../format/format-time';
import { formatCount } from '../../../format/format-tokens';
import { visibleText } from '../../../format/visible-text';
import { When } from '../../../ui/ago';
import { DataTable } from '../../../ui/data-table';
import { SETTING_LABEL, type SettingName, settingText } from '../project-fields';

interface AuditTableProps {
  label: string;
  entries: readonly AuditEntry[];
  busy?: boolean;
  /** Filters by an actor; without it actors are plain text. */
  onActor?: (actor: string) => void;
}

/** Entries of the audit log, newest first. */
export function AuditTable({ label, entries, busy = false, onActor }: AuditTableProps) {
  const zone = useTimeZone();
  return (
    <DataTable
      label={label}
      busy={busy}
      rows={entries}
      keyOf={({ id }) => String(id)}
      columns={[
        {
          head: 'time',
          cell: ({ at }) => (
            <span className="num whitespace-nowrap" title={formatInstant(at, zone)}>
              <When at={at} />
              <span className="text-small text-ink2 max-lg:hidden"> {formatInstant(at, zone)}</span>
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
                className="link text-left"
                title="Filter by this actor"
                onClick={() => onActor(actor)}
              >
                <bdi>{actor}</bdi>
              </button>
            ),
        },
        { head: 'action', cell: ({ action }) => actionWords(action) },
        { head: 'subject', wide: true, cell: (entry) => <Subject entry={entry} /> },
        {
          head: 'details',
          wide: true,
          cell: (entry) => <bdi className="text-ink2">{detailWords(entry)}</bdi>,
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

/** The latest entries, and a link to all. */
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

const OWN_WORDS: Partial<Record<AuditAction, string>> = {
  transcript_revealed: 'secrets shown',
  transcript_damaged: 'found damaged',
};

/** `settings changed`; of transcripts only the verb. */
export function actionWords(action: AuditAction): string {
  return OWN_WORDS[action] ?? action.replace(/^transcripts?_/, '').replace('_', ' ');
}

/** Changed settings with their values: `warning 70 %, days 90, size of one default`. */
function setWords(set: unknown): string {
  const changes = Object.entries((set ?? {}) as Record<string, unknown>).map(([name, value]) => {
    if (!(name in SETTING_LABEL)) return name;
    const known = name as SettingName;
    return `${SETTING_LABEL[known]} ${typeof value === 'number' ? settingText(known, value) : 'default'}`;
  });
  return changes.join(', ');
}

const textOf = (value: unknown) => (typeof value === 'string' ? visibleText(value) : '');

/** The details of an entry: `2 secrets; checking the key`. */
export function detailWords({ detail }: Pick<AuditEntry, 'detail'>): string {
  const { secrets, bytes, reason, words, name, scope, set } = detail;
  const shown = Array.isArray(secrets) ? secrets.length : secrets;
  return [
    words && `“${textOf(words)}”`,
    [name, scope].map(textOf).filter(Boolean).join(', '),
    setWords(set),
    typeof shown === 'number' && formatCount(shown, 'secret'),
    typeof bytes === 'number' && formatBytes(bytes),
    textOf(reason),
  ]
    .filter(Boolean)
    .join('; ');
}
