import type postgres from 'postgres';
import type { FoldContext } from '../../core/accounting/fold-types';
import {
  DEFAULT_THRESHOLDS,
  findThresholdProblem,
  resolveThresholds,
  THRESHOLD_NAMES,
  type ThresholdName,
} from '../../core/accounting/thresholds';
import type { Thresholds } from '../../core/accounting/types';
import type { ProjectSettings, ProjectSettingsChange } from '../../core/api/settings';
import { readTranscriptSettings, type TranscriptSettings } from '../../core/api/transcript-settings';
import type { TouchedSession } from '../ingest/types';
import { toJsonText } from '../json-text';
import { notifySessions } from '../notify-sessions';
import { transact } from '../transact';
import { recordAudit } from '../transcripts/record-audit';
import { inProjects } from './limit-reads';

interface SettingsRow {
  id: number;
  name: string;
  settings: unknown;
  version: string;
}

/** The version is a hash of the stored settings. */
function settingsColumns(sql: postgres.ISql) {
  return sql`id, name, settings, left(md5(settings::text), 16) as version`;
}

/**
 * Condition for projects `p` that are shown to the client. A deleted project keeps its row, because tombstones of sessions refer to
 * it; a new session brings the project back.
 */
export function shownProject(sql: postgres.ISql) {
  return sql`${inProjects(sql, 'p.id')} and (not p.settings ? 'deleted' or exists (
    select from sessions s where s.project_id = p.id and s.deleted_at is null and s.adopted_by is null))`;
}

export async function loadProjectSettings(sql: postgres.ISql, name: string): Promise<ProjectSettings | null> {
  const [row] = await sql<
    SettingsRow[]
  >`select ${settingsColumns(sql)} from projects p where name = ${name} and ${shownProject(sql)}`;
  return row ? toProjectSettings(row) : null;
}

export async function listProjectSettings(sql: postgres.ISql): Promise<ProjectSettings[]> {
  const rows = await sql<
    SettingsRow[]
  >`select ${settingsColumns(sql)} from projects p where ${shownProject(sql)} order by name`;
  return rows.map(toProjectSettings);
}

const NO_THRESHOLDS = Object.fromEntries(THRESHOLD_NAMES.map((name) => [name, null])) as Record<
  ThresholdName,
  null
>;

function toProjectSettings({ name, settings, version }: SettingsRow): ProjectSettings {
  const own = ownThresholds(settings);
  return {
    project: name,
    version,
    own: { ...NO_THRESHOLDS, ...own },
    thresholds: { ...projectThresholds(settings) },
    windows: projectContext(settings).windows,
    transcripts: projectTranscripts(settings),
  };
}

/** Thresholds of a project from its stored settings; invalid values are ignored. */
export function projectThresholds(settings: unknown): Thresholds {
  const own = partOf(settings, 'thresholds');
  if (own === null) return DEFAULT_THRESHOLDS;
  try {
    return resolveThresholds(own);
  } catch (error) {
    if (error instanceof RangeError) return DEFAULT_THRESHOLDS;
    throw error;
  }
}

/** The settings of a project that the fold uses. */
export function projectContext(settings: unknown): FoldContext & { windows: Record<string, number> } {
  return { thresholds: projectThresholds(settings), windows: numbersOf({ ...partOf(settings, 'windows') }) };
}

export function projectTranscripts(settings: unknown): TranscriptSettings {
  return readTranscriptSettings(partOf(settings, 'transcripts'));
}

function partOf(settings: unknown, part: string): object | null {
  const value = Object(settings)[part];
  return typeof value === 'object' ? value : null;
}

/** The stored thresholds; values that are not numbers are ignored. */
function ownThresholds(settings: unknown): Partial<Record<ThresholdName, number>> {
  const stored: Record<string, number> = numbersOf({ ...partOf(settings, 'thresholds') });
  const known = THRESHOLD_NAMES.filter((name) => stored[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, stored[name]]));
}

export type ChangedSettings =
  | { type: 'changed'; settings: ProjectSettings }
  /** The settings changed since they were read; `settings` has the current values. */
  | { type: 'outdated'; settings: ProjectSettings }
  | { type: 'invalid'; field: ThresholdName; reason: string }
  | { type: 'unknown' };

/**
 * Compute the current states again in the same transaction; recorded events do not change. Every open session gets a
 * new version, so that live pages refresh. Changed windows apply to the whole of each open session.
 */
export async function changeProjectSettings(
  sql: postgres.Sql,
  name: string,
  change: ProjectSettingsChange,
  actor: string,
): Promise<ChangedSettings> {
  return transact(sql, async (tx) => {
    const [row] = await tx<SettingsRow[]>`
      select ${settingsColumns(tx)} from projects where name = ${name} and ${inProjects(tx, 'id')} for no key update`;
    if (!row) return { type: 'unknown' };
    if (row.version !== change.version) return { type: 'outdated', settings: toProjectSettings(row) };
    const own = numbersOf({ ...ownThresholds(row.settings), ...change.thresholds });
    const thresholds: Thresholds = { ...DEFAULT_THRESHOLDS, ...own };
    const changed = Object.keys(change.thresholds ?? {}) as ThresholdName[];
    const problem = findThresholdProblem(thresholds, changed);
    if (problem) return { type: 'invalid', ...problem };
    const settings = {
      ...(change.thresholds && { thresholds: own }),
      ...(change.windows && {
        windows: numbersOf({ ...projectContext(row.settings).windows, ...change.windows }),
      }),
      ...(change.transcripts && {
        transcripts: numbersOf({ ...projectTranscripts(row.settings).own, ...change.transcripts }),
      }),
    };
    const [stored] = await tx<SettingsRow[]>`
      update projects set settings = settings || ${toJsonText(settings)}::text::jsonb
      where id = ${row.id} returning ${settingsColumns(tx)}`;
    if (!stored) return { type: 'unknown' };
    if (stored.version === row.version) return { type: 'changed', settings: toProjectSettings(stored) };
    if (change.thresholds) await reevaluateStates(tx, row.id, thresholds);
    // A worker folds these sessions again. Locks them in order of their ids, as ingest does.
    if (change.windows)
      await tx`
        update sessions set recompute_from = 0 where id in (
          select id from sessions where project_id = ${row.id} and ended_at is null and deleted_at is null
            and adopted_by is null and limit_source in ('setting', 'table', 'learned', 'assumed')
          order by id for update)`;
    const set = { ...change.thresholds, ...change.transcripts, ...change.windows };
    await recordAudit(tx, { actor, action: 'settings_changed', project: name, detail: { set } });
    return { type: 'changed', settings: toProjectSettings(stored) };
  });
}

function numbersOf(values: object): Record<string, number> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'number'));
}

/** Locks sessions in order of their ids, as ingest does. */
async function reevaluateStates(
  tx: postgres.TransactionSql,
  projectId: number,
  { elevated, warning, critical, redlined }: Thresholds,
): Promise<void> {
  const touched = await tx<TouchedSession[]>`
    with judged as materialized (
      select id, state as before, ended_at is null as is_open,
        case
          when state in ('untracked', 'unknown') or pressure is null then state
          when pressure >= ${redlined}::float8 then 'redlined'
          when pressure >= ${critical}::float8 then 'critical'
          when pressure >= ${warning}::float8 then 'warning'
          when pressure >= ${elevated}::float8 then 'elevated'
          else 'nominal'
        end as state
      from sessions
      where project_id = ${projectId} and deleted_at is null and adopted_by is null
      order by id for update
    )
    update sessions s set state = j.state, version = s.version + 1, changed_at = now()
    from judged j where s.id = j.id and (j.is_open or j.state <> j.before)
    returning s.id, s.public_id as "publicId", s.version`;
  await notifySessions(tx, touched);
}
