/** Limits and retention of a project's transcripts as form fields: sizes with their unit, empty for the default. */
import type { RetentionPreview } from '@/core/api/retention';
import type { OwnTranscriptSettings } from '@/core/api/transcript-settings';
import {
  MOST_KEPT,
  TRANSCRIPT_RETENTION_NAMES,
  TRANSCRIPT_SETTING_NAMES,
  type TranscriptSettingName,
} from '@/core/transcript/keep-settings';
import { formatBytes } from '../../format/format-bytes';
import { formatCount, formatExact } from '../../format/format-tokens';

export const KEPT_NAME: Readonly<Record<TranscriptSettingName, string>> = {
  maxArchiveBytes: 'size of one',
  maxStoredBytes: 'total size on disk',
  maxArchives: 'count',
  keepDays: 'days',
  keepStoredBytes: 'size on disk',
  keepPerSession: 'newest of each session',
  keepTurnDays: 'days of turns',
};

export type KeptFields = Record<TranscriptSettingName, string>;
export type KeptProblems = Partial<Record<TranscriptSettingName, string>>;

export const NO_KEPT_FIELDS: KeptFields = {
  maxArchiveBytes: '',
  maxStoredBytes: '',
  maxArchives: '',
  keepDays: '',
  keepStoredBytes: '',
  keepPerSession: '',
  keepTurnDays: '',
};

const isSize = (name: TranscriptSettingName): boolean => name.endsWith('Bytes');

const UNITS: readonly (readonly [string, number])[] = [
  ['TiB', 1024 ** 4],
  ['TB', 1000 ** 4],
  ['GiB', 1024 ** 3],
  ['GB', 1000 ** 3],
  ['MiB', 1024 ** 2],
  ['MB', 1000 ** 2],
  ['KiB', 1024],
  ['kB', 1000],
  ['B', 1],
];

/** `2 GiB`, `500 MB`: in the largest exact unit. */
export function sizeText(bytes: number): string {
  const [unit, of] = UNITS.find(([, size]) => bytes % size === 0) ?? ['B', 1];
  return `${bytes / of} ${unit}`;
}

export function settingText(name: TranscriptSettingName, value: number): string {
  return isSize(name) ? sizeText(value) : String(value);
}

export function toKeptFields(own: OwnTranscriptSettings): KeptFields {
  const fields = { ...NO_KEPT_FIELDS };
  for (const name of TRANSCRIPT_SETTING_NAMES) {
    const value = own[name];
    fields[name] = value === null ? '' : settingText(name, value);
  }
  return fields;
}

/** Null for an empty field, NaN for an invalid one. */
function readField(name: TranscriptSettingName, text: string): number | null {
  const words = text.trim().replaceAll(/[\s\u00a0\u202f]/g, '');
  if (words === '') return null;
  if (!isSize(name)) return /^\d{1,15}$/.test(words) ? Number(words) : Number.NaN;
  const [, figure = '', unit = ''] = /^(\d{1,15}(?:[.,]\d{1,6})?)([a-z]+)$/i.exec(words) ?? [];
  const of = UNITS.find(([known]) => known.toLowerCase() === unit.toLowerCase())?.[1];
  return of === undefined ? Number.NaN : Math.round(Number(figure.replace(',', '.')) * of);
}

/** The differences from the project's settings. */
export function readKeptChange(
  fields: KeptFields,
  own: OwnTranscriptSettings,
): Partial<OwnTranscriptSettings> {
  const change: Partial<OwnTranscriptSettings> = {};
  for (const name of TRANSCRIPT_SETTING_NAMES) {
    const value = readField(name, fields[name]);
    if (value !== own[name]) change[name] = value;
  }
  return change;
}

/** The problem of each invalid field. */
export function findKeptProblems(fields: KeptFields): KeptProblems {
  const problems: KeptProblems = {};
  for (const name of TRANSCRIPT_SETTING_NAMES) {
    const value = readField(name, fields[name]);
    if (value === null) continue;
    if (Number.isNaN(value)) {
      problems[name] = isSize(name)
        ? 'must be a size with its unit, as in 500 MB or 20 GB'
        : 'must be a whole number';
    } else if (value < 1) problems[name] = 'must be at least 1';
    else if (value > MOST_KEPT[name])
      problems[name] = `must be at most ${settingText(name, MOST_KEPT[name])}`;
  }
  return problems;
}

/** The search of a deletion preview; null: the retention is unchanged or empty. */
export function retentionQuestion(fields: KeptFields, own: OwnTranscriptSettings): string | null {
  const params = new URLSearchParams();
  let isChanged = false;
  for (const name of TRANSCRIPT_RETENTION_NAMES) {
    const value = readField(name, fields[name]);
    if (Number.isNaN(value)) return null;
    if (value !== own[name]) isChanged = true;
    if (value !== null) params.set(name, String(value));
  }
  return isChanged && params.size > 0 ? params.toString() : null;
}

/** `90 days · 20 GB · newest 5 of a session`; empty: everything is kept. */
export function retentionWords(own: OwnTranscriptSettings): string {
  const parts: string[] = [];
  if (own.keepDays !== null) parts.push(formatCount(own.keepDays, 'day'));
  if (own.keepStoredBytes !== null) parts.push(sizeText(own.keepStoredBytes));
  if (own.keepPerSession !== null) parts.push(`newest ${formatExact(own.keepPerSession)} of a session`);
  if (own.keepTurnDays !== null) parts.push(`turns ${formatCount(own.keepTurnDays, 'day')}`);
  return parts.join(' · ');
}

/** What saving the retention deletes, in a sentence. */
export function dueWords(preview: RetentionPreview, day: (at: string) => string): string {
  const { due, kept } = preview;
  if (due.transcripts === 0) {
    return kept.transcripts === 0
      ? 'Deletes nothing now: no transcripts are stored.'
      : `Deletes nothing now: all ${formatExact(kept.transcripts)} are within the retention.`;
  }
  const reasons = [
    due.byAge === 0 ? null : `${formatExact(due.byAge)} too old`,
    due.bySession === 0 ? null : `${formatExact(due.bySession)} beyond the newest of their session`,
    due.byRoom === 0 ? null : `${formatExact(due.byRoom)} beyond the size on disk`,
  ].filter((reason) => reason !== null);
  const [oldest, newest] = [day(due.oldestAt ?? ''), day(due.newestAt ?? '')];
  const span = oldest === newest ? `from ${oldest}` : `from ${oldest} to ${newest}`;
  return `Deletes ${formatExact(due.transcripts)} of ${formatCount(kept.transcripts, 'transcript')} (${formatBytes(due.bytes)}) ${span} within a minute: ${reasons.join(', ')}.`;
}
