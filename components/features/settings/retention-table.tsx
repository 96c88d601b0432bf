'use client';
import { useQuery } from '@tanstack/react-query';
import type { ProjectSettings } from '@/core/api/settings';
import type { KeptTranscripts, RetentionPreview } from '@/core/api/transcript-settings';
import {
  DEFAULT_TRANSCRIPT_LIMITS,
  TRANSCRIPT_LIMIT_NAMES,
  TRANSCRIPT_RETENTION_NAMES,
  type TranscriptSettingName,
  TURN_RETENTION_NAMES,
} from '@/core/transcript/keep-settings';
import { fetchJson } from '../../data/fetch-json';
import { useTimeZone } from '../../data/use-time-zone';
import { capitalised } from '../../format/capitalised';
import { formatBytes } from '../../format/format-bytes';
import { formatInstant, formatLongDay } from '../../format/format-time';
import { formatCount, formatExact } from '../../format/format-tokens';
import type { Column } from '../../ui/data-table';
import { failureText } from '../../ui/form-parts';
import { useDebounced } from '../../ui/use-deferred';
import {
  defaultText,
  dueWords,
  findProblems,
  retentionQuestion,
  retentionWords,
  SETTING_LABEL,
  settingText,
} from './project-fields';
import { ProjectList, Setting } from './projects-table';
import { type EditProps, SettingField, SettingsDialog, useSettingsForm } from './settings-dialog';

interface RetentionTableProps {
  projects: readonly ProjectSettings[];
  kept: readonly KeptTranscripts[];
  /** The project of the URL, listed first. */
  first: string;
}

export function RetentionTable({ projects, kept, first }: RetentionTableProps) {
  const zone = useTimeZone();
  const storedOf = ({ project }: ProjectSettings) => kept.find((entry) => entry.project === project);
  const diskOf = (bytes: number) => (
    <span title={`${formatExact(bytes)} bytes, compressed`}>{formatBytes(bytes)}</span>
  );
  const limit = (
    head: string,
    name: (typeof TRANSCRIPT_LIMIT_NAMES)[number],
  ): Column<ProjectSettings | null> => ({
    head,
    num: true,
    cell: (row) => {
      const { own, limits } = row?.transcripts ?? { own: null, limits: DEFAULT_TRANSCRIPT_LIMITS };
      return (
        <Setting isOwn={own !== null && own[name] !== null}>
          {name === 'maxArchives' ? formatExact(limits[name]) : settingText(name, limits[name])}
        </Setting>
      );
    },
  });
  return (
    <ProjectList
      projects={projects}
      first={first}
      what="retention"
      label="Transcripts of projects"
      hasOwn={({ transcripts: { own } }) => Object.values(own).some((value) => value !== null)}
      fact={(settings) => {
        const { transcripts = 0, storedBytes = 0 } = storedOf(settings) ?? {};
        return transcripts === 0 ? '' : `${formatExact(transcripts)}, ${formatBytes(storedBytes)}`;
      }}
      columns={[
        {
          head: 'stored',
          num: true,
          cell: (settings) => {
            if (settings === null) return '';
            const { transcripts = 0, oldestAt = null } = storedOf(settings) ?? {};
            const title = oldestAt === null ? '' : `Oldest: ${formatInstant(oldestAt, zone)}`;
            return <span title={title}>{formatExact(transcripts)}</span>;
          },
        },
        {
          head: 'on disk',
          num: true,
          cell: (settings) => (settings === null ? '' : diskOf(storedOf(settings)?.storedBytes ?? 0)),
        },
        limit('max size', 'maxArchiveBytes'),
        limit('max total', 'maxStoredBytes'),
        limit('max count', 'maxArchives'),
        {
          head: 'retention',
          cell: (settings) => {
            const words = settings === null ? '' : retentionWords(settings.transcripts.own);
            return <span className={words === '' ? 'text-ink2' : 'strong'}>{words || 'keep all'}</span>;
          },
        },
      ]}
      dialog={(props) => <RetentionDialog {...props} />}
    />
  );
}

/** Debounce of the preview, milliseconds. */
const TYPING_MS = 250;

const GROUPS: readonly [title: string, note: string, names: readonly TranscriptSettingName[]][] = [
  [
    'Upload limits',
    'The server rejects uploads above these limits, by their uncompressed size. It deletes nothing.',
    TRANSCRIPT_LIMIT_NAMES,
  ],
  [
    'Retention of transcripts',
    'The server deletes older transcripts and those beyond the count or size. Their rows stay.',
    TRANSCRIPT_RETENTION_NAMES,
  ],
  [
    'Retention of turns',
    'The server deletes the least recently active sessions, with their turns and events. History keeps its totals.',
    TURN_RETENTION_NAMES,
  ],
];

/** Limits and retention of one project's transcripts; saving waits for the preview of what it deletes. */
function RetentionDialog(props: EditProps) {
  const { project } = props.settings;
  const form = useSettingsForm('transcripts', props);
  const isValid = Object.keys(findProblems(form.change)).length === 0;
  const question = isValid ? retentionQuestion(form.change, form.base.transcripts.own) : null;
  const asked = useDebounced(question, TYPING_MS);
  const preview = useQuery({
    queryKey: ['projects', project, 'retention', asked],
    queryFn: ({ signal }) =>
      fetchJson<RetentionPreview>(`/api/v1/projects/${encodeURIComponent(project)}/retention?${asked}`, {
        cache: 'no-store',
        signal,
      }),
    enabled: asked !== null,
  });
  const zone = useTimeZone();
  const due = question !== null && asked === question ? preview.data : undefined;
  const deleted = due?.due.transcripts ?? 0;
  const failure = preview.error === null ? '' : `The preview failed. ${failureText(preview.error)}`;
  return (
    <SettingsDialog
      form={form}
      title={`Transcripts of ${project}`}
      description="Upload limits and retention. An empty field uses the default; without retention everything is kept."
      className="top-[8vh] w-[560px]"
      waits={question !== null && due === undefined}
      {...(deleted > 0 && { submit: `Save and delete ${formatCount(deleted, 'transcript')}` })}
      onClose={props.onClose}
    >
      {GROUPS.map(([title, note, names]) => (
        <fieldset key={title}>
          <legend className="strong pb-[2px]">{title}</legend>
          <p className="pb-[8px] text-small text-ink2">{note}</p>
          <div className="grid gap-x-[24px] gap-y-[12px] min-[520px]:grid-cols-3">
            {names.map((name) => (
              <SettingField
                key={name}
                form={form}
                name={name}
                label={capitalised(SETTING_LABEL[name])}
                placeholder={defaultText(name)}
              />
            ))}
          </div>
        </fieldset>
      ))}
      <p role="status" className={deleted > 0 ? 'notice' : 'min-h-[20px] text-ink2'}>
        {due === undefined ? failure : dueWords(due, (at) => formatLongDay(at, zone))}
      </p>
    </SettingsDialog>
  );
}
