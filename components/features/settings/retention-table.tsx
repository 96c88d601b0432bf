'use client';
import type { KeptTranscripts } from '@/core/api/retention';
import type { ProjectSettings } from '@/core/api/settings';
import type { TranscriptSettingName } from '@/core/transcript/keep-settings';
import { useTimeZone } from '../../data/use-time-zone';
import { formatBytes } from '../../format/format-bytes';
import { formatInstant } from '../../format/format-time';
import { formatExact } from '../../format/format-tokens';
import { type Column, DataTable } from '../../ui/data-table';
import { retentionWords, sizeText } from './retention';
import { RetentionDialog } from './retention-dialog';
import { ChangeButton, useProjectList } from './use-project-list';

interface RetentionTableProps {
  initial: readonly ProjectSettings[];
  kept: readonly KeptTranscripts[];
  /** What to search for at first. */
  find: string;
}

/** Stored transcripts, upload limits and retention of each project. */
export function RetentionTable({ initial, kept, find }: RetentionTableProps) {
  const list = useProjectList(initial, find, 'among the transcripts');
  const zone = useTimeZone();
  if (initial.length === 0) {
    return <p className="text-ink2">No projects yet. A project appears with its first session.</p>;
  }
  const storedOf = ({ project }: ProjectSettings) => kept.find((entry) => entry.project === project);
  return (
    <>
      {list.search}
      <DataTable
        label="Transcripts of projects"
        rows={list.shown}
        keyOf={({ project }) => project}
        columns={[
          { head: 'project', cell: ({ project }) => <span className="font-medium">{project}</span> },
          {
            head: 'stored',
            label: 'stored',
            right: true,
            cell: (settings) => {
              const stored = storedOf(settings);
              return (
                <span
                  className="num"
                  {...(stored?.oldestAt ? { title: `Oldest: ${formatInstant(stored.oldestAt, zone)}` } : {})}
                >
                  {formatExact(stored?.transcripts ?? 0)}
                </span>
              );
            },
          },
          {
            head: 'on disk',
            label: 'on disk',
            right: true,
            cell: (settings) => {
              const bytes = storedOf(settings)?.storedBytes ?? 0;
              return (
                <span className="num" title={`${formatExact(bytes)} bytes, compressed`}>
                  {formatBytes(bytes)}
                </span>
              );
            },
          },
          limitColumn('max size', 'maxArchiveBytes', ({ limits }) => sizeText(limits.maxArchiveBytes)),
          limitColumn('max total', 'maxStoredBytes', ({ limits }) => sizeText(limits.maxStoredBytes)),
          limitColumn('max count', 'maxArchives', ({ limits }) => formatExact(limits.maxArchives)),
          {
            head: 'retention',
            label: 'retention',
            cell: ({ transcripts }) => {
              const words = retentionWords(transcripts.own);
              return <span className={words === '' ? 'text-ink2' : 'strong'}>{words || 'keep all'}</span>;
            },
          },
          {
            head: <span className="sr-only">Change</span>,
            right: true,
            cell: ({ project }) => (
              <ChangeButton label={`Change the retention of ${project}`} onPress={() => list.edit(project)} />
            ),
          },
        ]}
      />
      {list.rest}
      {list.open === undefined ? null : (
        <RetentionDialog settings={list.open} onChanged={list.update} onClose={list.close} />
      )}
    </>
  );
}

function limitColumn(
  head: string,
  name: TranscriptSettingName,
  text: (transcripts: ProjectSettings['transcripts']) => string,
): Column<ProjectSettings> {
  return {
    head,
    label: head,
    right: true,
    cell({ transcripts }) {
      const isOwn = transcripts.own[name] !== null;
      return (
        <span
          className={`num ${isOwn ? 'strong' : 'text-ink2'}`}
          title={isOwn ? 'Set by this project' : 'The default'}
        >
          {text(transcripts)}
        </span>
      );
    },
  };
}
