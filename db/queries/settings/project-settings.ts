/** Settings of projects as operators see them. */
import type postgres from 'postgres';
import { THRESHOLD_NAMES, type ThresholdName } from '../../../core/accounting/threshold-problem';
import type { ProjectSettings } from '../../../core/api/settings';
import { readTranscriptSettings, type TranscriptSettings } from '../../../core/api/transcript-settings';
import { projectThresholds } from '../../ingest/thresholds';

export interface SettingsRow {
  id: number;
  name: string;
  settings: unknown;
  version: string;
}

/**
 * Columns of a `SettingsRow`. The version is a print of what is stored: the same settings are the same version,
 * whoever came back to them.
 */
export function settingsColumns(sql: postgres.ISql) {
  return sql`id, name, settings, left(md5(settings::text), 16) as version`;
}

/** Null: there is no such project. */
export async function loadProjectSettings(sql: postgres.ISql, name: string): Promise<ProjectSettings | null> {
  const [row] = await sql<SettingsRow[]>`select ${settingsColumns(sql)} from projects where name = ${name}`;
  return row ? toProjectSettings(row) : null;
}

/** Of all projects, by name. */
export async function listProjectSettings(sql: postgres.ISql): Promise<ProjectSettings[]> {
  const rows = await sql<SettingsRow[]>`select ${settingsColumns(sql)} from projects order by name`;
  return rows.map(toProjectSettings);
}

export function toProjectSettings({ name, settings, version }: SettingsRow): ProjectSettings {
  const own = ownThresholds(settings);
  return {
    project: name,
    version,
    own: eachName((line) => own[line] ?? null),
    thresholds: { ...projectThresholds(settings) },
    transcripts: projectTranscripts(settings),
  };
}

/** What a project's stored settings say of transcripts. */
export function projectTranscripts(settings: unknown): TranscriptSettings {
  const isSet = typeof settings === 'object' && settings !== null && 'transcripts' in settings;
  return readTranscriptSettings(isSet ? settings.transcripts : null);
}

/** The lines that stored settings hold; what is no number is left out. */
export function ownThresholds(settings: unknown): Partial<Record<ThresholdName, number>> {
  if (typeof settings !== 'object' || settings === null || !('thresholds' in settings)) return {};
  const { thresholds } = settings;
  if (typeof thresholds !== 'object' || thresholds === null) return {};
  const stored = new Map<string, unknown>(Object.entries(thresholds));
  const own: Partial<Record<ThresholdName, number>> = {};
  for (const name of THRESHOLD_NAMES) {
    const line = stored.get(name);
    if (typeof line === 'number') own[name] = line;
  }
  return own;
}

function eachName<T>(value: (name: ThresholdName) => T): Record<ThresholdName, T> {
  return {
    elevated: value('elevated'),
    warning: value('warning'),
    critical: value('critical'),
    redlined: value('redlined'),
    compressLine: value('compressLine'),
    restartLine: value('restartLine'),
  };
}
