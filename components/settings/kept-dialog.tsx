'use client';
import { useId } from 'react';
import type { ProjectSettings } from '@/core/api/settings';
import {
  DEFAULT_TRANSCRIPT_LIMITS,
  TRANSCRIPT_LIMIT_NAMES,
  TRANSCRIPT_RETENTION_NAMES,
  TRANSCRIPT_SETTING_NAMES,
  type TranscriptSettingName,
} from '@/core/transcript/keep-settings';
import { formatLongDay } from '../format/format-time';
import { formatCount } from '../format/format-tokens';
import { useTimeZone } from '../live/use-time-zone';
import {
  dueWords,
  findKeptProblems,
  KEPT_NAME,
  NO_KEPT_FIELDS,
  readKeptChange,
  retentionQuestion,
  settingText,
  toKeptFields,
} from './kept-fields';
import { SettingField, SettingsDialog } from './settings-dialog';
import { useRetentionPreview } from './use-retention-preview';
import { type SettingsPart, useSettingsForm } from './use-settings-form';

const KEPT: SettingsPart<TranscriptSettingName> = {
  key: 'transcripts',
  names: TRANSCRIPT_SETTING_NAMES,
  called: 'settings',
  other: 'lines of this project',
  fieldsOf: ({ transcripts }) => toKeptFields(transcripts.own),
  problemsOf: (fields) => findKeptProblems(fields),
  changeOf: (fields, { transcripts }) => readKeptChange(fields, transcripts.own),
  wordsOf(name, { transcripts }) {
    const text = toKeptFields(transcripts.own)[name];
    return `${KEPT_NAME[name]} ${text === '' ? 'back to the default' : text}`;
  },
};

interface KeptDialogProps {
  settings: ProjectSettings;
  onChanged: (settings: ProjectSettings) => void;
  onClose: () => void;
}

/** Limits and retention of one project's transcripts. What a retention deletes is said before it is saved. */
export function KeptDialog({ settings, onChanged, onClose }: KeptDialogProps) {
  const form = useSettingsForm({
    settings,
    part: KEPT,
    onChanged,
    onClose,
    mayGo: (say) => preview.isForetold(say),
  });
  const { fields, base } = form;
  const question =
    Object.keys(findKeptProblems(fields)).length > 0 ? null : retentionQuestion(fields, base.transcripts.own);
  const preview = useRetentionPreview(`/projects/${encodeURIComponent(settings.project)}`, question);
  const id = useId();
  const zone = useTimeZone();
  const { due } = preview;
  const isDeleting = due !== null && due.due.transcripts > 0;
  const field = (name: TranscriptSettingName) => (
    <SettingField
      key={name}
      form={form}
      name={name}
      label={LABEL[name]}
      subject={LABEL[name]}
      placeholder={placeholderOf(name)}
      idPrefix={id}
    />
  );
  return (
    <SettingsDialog
      form={form}
      title={`Transcripts of ${settings.project}`}
      description="How much the project takes in, and how long it keeps it. An empty field is the default; of retention that is off: everything is kept."
      className="top-[8vh] w-[560px]"
      {...(isDeleting ? { submit: `Save and delete ${formatCount(due.due.transcripts, 'transcript')}` } : {})}
      defaults={NO_KEPT_FIELDS}
      onClose={onClose}
    >
      <fieldset>
        <legend className="strong pb-[2px]">Takes in at most</legend>
        <p className="pb-[8px] text-small text-ink2">
          What is beyond it is refused, with a row that says why. Nothing is deleted for it.
        </p>
        <div className="lines three">{TRANSCRIPT_LIMIT_NAMES.map(field)}</div>
      </fieldset>
      <fieldset>
        <legend className="strong pb-[2px]">Keeps</legend>
        <p className="pb-[8px] text-small text-ink2">
          What is older, beyond that number, or the oldest of what has no room, is deleted. A row stays.
        </p>
        <div className="lines three">{TRANSCRIPT_RETENTION_NAMES.map(field)}</div>
      </fieldset>
      <p role="status" className={isDeleting ? 'notice' : 'min-h-[20px] text-ink2'}>
        {due === null ? '' : dueWords(due, (at) => formatLongDay(at, zone))}
      </p>
    </SettingsDialog>
  );
}

const LABEL: Readonly<Record<TranscriptSettingName, string>> = {
  maxArchiveBytes: 'One, before compression',
  maxStoredBytes: 'All of them, on disk',
  maxArchives: 'Number of them',
  keepDays: 'Days',
  keepStoredBytes: 'Room on disk',
  keepPerSession: 'Newest of each session',
};

function placeholderOf(name: TranscriptSettingName): string {
  if (name === 'maxArchiveBytes' || name === 'maxStoredBytes' || name === 'maxArchives') {
    return settingText(name, DEFAULT_TRANSCRIPT_LIMITS[name]);
  }
  return 'all';
}
