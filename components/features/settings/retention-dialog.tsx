'use client';
import { useQuery } from '@tanstack/react-query';
import type { RetentionPreview } from '@/core/api/retention';
import type { ProjectSettings } from '@/core/api/settings';
import {
  DEFAULT_TRANSCRIPT_LIMITS,
  TRANSCRIPT_LIMIT_NAMES,
  TRANSCRIPT_RETENTION_NAMES,
  TRANSCRIPT_SETTING_NAMES,
  type TranscriptSettingName,
} from '@/core/transcript/keep-settings';
import { fetchJson } from '../../data/fetch-json';
import { useTimeZone } from '../../data/use-time-zone';
import { formatLongDay } from '../../format/format-time';
import { formatCount } from '../../format/format-tokens';
import { useDebounced } from '../../ui/use-deferred';
import {
  dueWords,
  findKeptProblems,
  KEPT_NAME,
  NO_KEPT_FIELDS,
  readKeptChange,
  retentionQuestion,
  settingText,
  toKeptFields,
} from './retention';
import { SettingField, SettingsDialog } from './settings-form';
import { failureText, type SettingsPart, settingsPath, useSettingsForm } from './use-settings-form';

const RETENTION: SettingsPart<TranscriptSettingName> = {
  key: 'transcripts',
  names: TRANSCRIPT_SETTING_NAMES,
  title: 'settings',
  fieldsOf: ({ transcripts }) => toKeptFields(transcripts.own),
  problemsOf: (fields) => findKeptProblems(fields),
  changeOf: (fields, { transcripts }) => readKeptChange(fields, transcripts.own),
  wordsOf(name, { transcripts }) {
    const text = toKeptFields(transcripts.own)[name];
    return `${KEPT_NAME[name]} ${text === '' ? 'back to the default' : text}`;
  },
};

const LABEL: Readonly<Record<TranscriptSettingName, string>> = {
  maxArchiveBytes: 'Size of one, uncompressed',
  maxStoredBytes: 'Total size on disk',
  maxArchives: 'Count',
  keepDays: 'Days',
  keepStoredBytes: 'Size on disk',
  keepPerSession: 'Newest of each session',
  keepTurnDays: 'Days of turns',
};

/** Typing asks for a preview once it pauses. */
const TYPING_MS = 250;

interface RetentionDialogProps {
  settings: ProjectSettings;
  onChanged: (settings: ProjectSettings) => void;
  onClose: () => void;
}

/** Limits and retention of one project's transcripts, with a preview of what saving deletes. */
export function RetentionDialog({ settings, onChanged, onClose }: RetentionDialogProps) {
  const form = useSettingsForm({ settings, part: RETENTION, onChanged, onClose, refuse });
  const { fields, base } = form;
  const question =
    Object.keys(findKeptProblems(fields)).length > 0 ? null : retentionQuestion(fields, base.transcripts.own);
  const asked = useDebounced(question, TYPING_MS);
  const preview = useQuery({
    queryKey: ['projects', settings.project, 'retention', asked],
    queryFn: ({ signal }) => readPreview(settings.project, asked, signal),
    enabled: asked !== null,
  });
  const zone = useTimeZone();
  const due = question !== null && asked === question ? preview.data : undefined;
  const deleted = due?.due.transcripts ?? 0;

  /** Refuses to save a deletion that was not shown yet. */
  async function refuse(): Promise<string | null> {
    if (question === null || due !== undefined) return null;
    try {
      const next = await readPreview(settings.project, question);
      return next.due.transcripts === 0 ? null : dueWords(next, (at) => formatLongDay(at, zone));
    } catch (error) {
      return `Nothing was saved: the retention preview failed. ${failureText(error)}`;
    }
  }

  const field = (name: TranscriptSettingName) => (
    <SettingField
      key={name}
      form={form}
      name={name}
      label={LABEL[name]}
      subject={LABEL[name]}
      placeholder={
        name in DEFAULT_TRANSCRIPT_LIMITS
          ? settingText(name, DEFAULT_TRANSCRIPT_LIMITS[name as keyof typeof DEFAULT_TRANSCRIPT_LIMITS])
          : 'all'
      }
    />
  );
  return (
    <SettingsDialog
      form={form}
      title={`Transcripts of ${settings.project}`}
      description="Upload limits and retention. An empty field uses the default; without retention everything is kept."
      className="top-[8vh] w-[560px]"
      {...(deleted > 0 ? { submit: `Save and delete ${formatCount(deleted, 'transcript')}` } : {})}
      defaults={NO_KEPT_FIELDS}
      onClose={onClose}
    >
      <Group title="Upload limits" note="Larger uploads are refused with a reason. Nothing is deleted.">
        {TRANSCRIPT_LIMIT_NAMES.map(field)}
      </Group>
      <Group
        title="Retention of transcripts"
        note="The server deletes older transcripts and those beyond the count or size. Their rows stay."
      >
        {TRANSCRIPT_RETENTION_NAMES.map(field)}
      </Group>
      <Group
        title="Retention of turns"
        note="The server deletes sessions without a newer turn, with their turns and events. History keeps its totals."
      >
        {field('keepTurnDays')}
      </Group>
      <p role="status" className={deleted > 0 ? 'notice' : 'min-h-[20px] text-ink2'}>
        {due === undefined ? '' : dueWords(due, (at) => formatLongDay(at, zone))}
      </p>
    </SettingsDialog>
  );
}

function readPreview(project: string, question: string | null, signal?: AbortSignal) {
  const path = `${settingsPath(project)}/retention?${question}`;
  return fetchJson<RetentionPreview>(path, { cache: 'no-store', ...(signal && { signal }) });
}

function Group({ title, note, children }: { title: string; note: string; children: React.ReactNode }) {
  return (
    <fieldset>
      <legend className="strong pb-[2px]">{title}</legend>
      <p className="pb-[8px] text-small text-ink2">{note}</p>
      <div className="grid gap-x-[24px] gap-y-[12px] min-[520px]:grid-cols-3">{children}</div>
    </fieldset>
  );
}
