/** Settings of a project as form fields: percentages, sizes with a unit, or counts; empty for the default. */
import { DEFAULT_THRESHOLDS, HIGHEST_LINE, type ThresholdName } from '@/core/accounting/thresholds';
import type { LimitList, ProjectSettings } from '@/core/api/settings';
import type { OwnTranscriptSettings, RetentionPreview } from '@/core/api/transcript-settings';
import {
  DEFAULT_TRANSCRIPT_LIMITS,
  MOST_KEPT,
  TRANSCRIPT_RETENTION_NAMES,
  type TranscriptSettingName,
} from '@/core/transcript/keep-settings';
import { formatBytes } from '../../format/format-bytes';
import { formatCount, formatExact } from '../../format/format-tokens';

export type SettingName = ThresholdName | TranscriptSettingName;

export const SETTING_LABEL: Readonly<Record<SettingName, string>> = {
  elevated: 'elevated',
  warning: 'warning',
  critical: 'critical',
  redlined: 'over limit',
  compressLine: 'compress line',
  restartLine: 'restart line',
  maxArchiveBytes: 'size of one',
  maxStoredBytes: 'total size on disk',
  maxArchives: 'count',
  keepDays: 'days',
  keepStoredBytes: 'size on disk',
  keepPerSession: 'newest of each session',
  keepTurnDays: 'days of turns',
  keepTurns: 'number of turns',
};

/** A part of the settings, by its name in the API. */
export type SettingsPart = 'thresholds' | 'transcripts' | 'windows';
/** Texts by the setting's name. The name of a model's window is `windows.` and the model. */
export type Fields = Partial<Record<string, string>>;
type Values = Partial<Record<string, number | null>>;

export const windowName = (model: string) => `windows.${model}`;

/** The part's own values of the project; null: the default. */
export function ownValues(part: SettingsPart, { own, transcripts, windows }: ProjectSettings): Values {
  if (part === 'thresholds') return own;
  if (part === 'transcripts') return transcripts.own;
  return Object.fromEntries(Object.entries(windows).map(([model, size]) => [windowName(model), size]));
}

/** The limits that a project's sessions used last, then its own windows that no session used. */
export function windowRows(
  { project, windows }: ProjectSettings,
  seen: LimitList['seen'],
): LimitList['seen'] {
  const used = seen.filter((row) => row.project === project);
  const unused = Object.entries(windows).filter(([model]) => !used.some((row) => row.model === model));
  const nowhere = { project, source: 'setting', date: null, sessions: 0, lastTurnAt: null } as const;
  return [...used, ...unused.map(([model, tokens]) => ({ model, tokens, ...nowhere }))];
}

/** The windows in use over all projects: one row for each model, size and source, the most recent first. */
export function windowsInUse(seen: LimitList['seen']): LimitList['seen'] {
  const rows = new Map<string, LimitList['seen'][number]>();
  for (const row of seen) {
    const key = `${row.model} ${row.tokens} ${row.source} ${row.date}`;
    const held = rows.get(key);
    const newest = held && (held.lastTurnAt ?? '') > (row.lastTurnAt ?? '') ? held : row;
    rows.set(key, { ...newest, sessions: row.sessions + (held?.sessions ?? 0) });
  }
  return [...rows.values()].toSorted((a, b) => (b.lastTurnAt ?? '').localeCompare(a.lastTurnAt ?? ''));
}

export function defaultText(name: SettingName): string {
  const value = (DEFAULTS as Partial<Record<SettingName, number>>)[name];
  return value === undefined ? 'all' : settingText(name, value);
}

const DEFAULTS = { ...DEFAULT_THRESHOLDS, ...DEFAULT_TRANSCRIPT_LIMITS };

const kindOf = (name: string): 'percent' | 'size' | 'count' =>
  name in DEFAULT_THRESHOLDS ? 'percent' : name.endsWith('Bytes') ? 'size' : 'count';

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

/** `62.5 %`, `2 GiB`, `1000`: sizes in the largest exact unit. */
export function settingText(name: string, value: number): string {
  const kind = kindOf(name);
  if (kind === 'percent') return `${Math.round(value * 1_000) / 10}\u00a0%`;
  if (kind === 'count') return String(value);
  const [unit, of] = UNITS.find(([, size]) => value % size === 0) ?? ['B', 1];
  return `${value / of} ${unit}`;
}

export function fieldText(name: string, own: Values): string {
  const value = own[name] ?? null;
  return value === null ? '' : settingText(name, value).replace('\u00a0%', '');
}

/** Null for an empty field, NaN for an invalid one. Accepts a decimal comma. */
function readField(name: string, text: string): number | null {
  const words = text.replaceAll(/[\s\u00a0\u202f]/g, '').replace(',', '.');
  if (words === '') return null;
  const kind = kindOf(name);
  if (kind === 'count') return /^\d{1,15}$/.test(words) ? Number(words) : Number.NaN;
  const [, figure = '', unit = ''] = /^(\d{1,15}(?:\.\d{1,6})?)(%|[a-z]*)$/i.exec(words) ?? [];
  if (kind === 'percent') {
    const isPercent = figure !== '' && (unit === '' || unit === '%');
    return isPercent ? Number((Number(figure) / 100).toPrecision(12)) : Number.NaN;
  }
  const of = UNITS.find(([known]) => known.toLowerCase() === unit.toLowerCase())?.[1];
  return of === undefined ? Number.NaN : Math.round(Number(figure) * of);
}

/** The typed values that differ from the project's own. Shares with the same percentage count as equal. */
export function readChange(typed: Fields, own: Values): Values {
  const change: Values = {};
  for (const [name, text = ''] of Object.entries(typed)) {
    const value = readField(name, text);
    if (text.trim() !== fieldText(name, own) && value !== own[name]) change[name] = value;
  }
  return change;
}

const FORMATS = {
  percent: 'must be a percentage, as in 75 or 62.5',
  size: 'must be a size with its unit, as in 500 MB or 20 GB',
  count: 'must be a whole number',
};

/** The problem of each changed field, as the end of a sentence. The server checks the order of the thresholds. */
export function findProblems(change: Values): Fields {
  const problems: Fields = {};
  for (const [name, value = null] of Object.entries(change)) {
    const kind = kindOf(name);
    const kept = (MOST_KEPT as Values)[name] ?? Number.MAX_SAFE_INTEGER;
    const most = kind === 'percent' ? HIGHEST_LINE : kept;
    if (Number.isNaN(value)) problems[name] = FORMATS[kind];
    else if (value !== null && value <= 0) problems[name] = 'must be above 0';
    else if (value !== null && value > most) problems[name] = `must be at most ${settingText(name, most)}`;
  }
  return problems;
}

/** The URL search of the deletion preview; null: the retention is unchanged or empty. */
export function retentionQuestion(
  change: Partial<OwnTranscriptSettings>,
  own: OwnTranscriptSettings,
): string | null {
  const params = new URLSearchParams();
  for (const name of TRANSCRIPT_RETENTION_NAMES) {
    const value = name in change ? change[name] : own[name];
    if (value != null) params.set(name, String(value));
  }
  const isChanged = TRANSCRIPT_RETENTION_NAMES.some((name) => name in change);
  return isChanged && params.size > 0 ? params.toString() : null;
}

/** `90 days · 20 GB · newest 5 of a session`; empty: everything is kept. */
export function retentionWords(own: OwnTranscriptSettings): string {
  const { keepDays, keepStoredBytes, keepPerSession, keepTurnDays, keepTurns } = own;
  return [
    keepDays !== null && formatCount(keepDays, 'day'),
    keepStoredBytes !== null && settingText('keepStoredBytes', keepStoredBytes),
    keepPerSession !== null && `newest ${formatExact(keepPerSession)} of a session`,
    keepTurnDays !== null && `turns ${formatCount(keepTurnDays, 'day')}`,
    keepTurns !== null && `newest ${formatCount(keepTurns, 'turn')}`,
  ]
    .filter((part) => part !== false)
    .join(' · ');
}

/** What saving the retention deletes, in a sentence. */
export function dueWords({ due, kept }: RetentionPreview, day: (at: string) => string): string {
  if (due.transcripts === 0) return 'Deletes nothing now.';
  const days = [...new Set([day(due.oldestAt ?? ''), day(due.newestAt ?? '')])];
  return `Deletes ${formatExact(due.transcripts)} of ${formatCount(kept.transcripts, 'transcript')} (${formatBytes(due.bytes)}) from ${days.join(' to ')} within a minute.`;
}
