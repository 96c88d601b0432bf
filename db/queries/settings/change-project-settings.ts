/**
 * Changes the lines of a project, and what it keeps of transcripts.
 *
 * What was recorded stays: events and the states that turns entered are those of the lines of their time. What a
 * screen says of *now* follows the lines in force, so the state that lists filter and sort by is judged anew in
 * the same transaction, and every session that has not ended gets a new version, which live pages hear of.
 */
import type postgres from 'postgres';
import { findThresholdProblem, type ThresholdName } from '../../../core/accounting/threshold-problem';
import { DEFAULT_THRESHOLDS } from '../../../core/accounting/thresholds';
import type { Thresholds } from '../../../core/accounting/types';
import type { ProjectSettings, ProjectSettingsChange } from '../../../core/api/settings';
import { toJsonText } from '../../ingest/json-text';
import { notifySessions } from '../../ingest/notify';
import type { TouchedSession } from '../../ingest/types';
import { transact } from '../../transact';
import { recordAct } from '../../transcripts/record-audit';
import {
  ownThresholds,
  projectTranscripts,
  type SettingsRow,
  settingsColumns,
  toProjectSettings,
} from './project-settings';

export type ChangedSettings =
  | { type: 'changed'; settings: ProjectSettings }
  /** Somebody changed them since they were read; `settings` are those of now. */
  | { type: 'outdated'; settings: ProjectSettings }
  | { type: 'invalid'; field: ThresholdName; reason: string }
  | { type: 'unknown' };

/**
 * @param change what to set (lines are shares of the limit) or to give up (null), and the version it was read with
 * @param actor who does so, for the audit log
 */
export async function changeProjectSettings(
  sql: postgres.Sql,
  name: string,
  change: ProjectSettingsChange,
  actor: string,
): Promise<ChangedSettings> {
  return transact(sql, async (tx) => {
    const [row] = await tx<SettingsRow[]>`
      select ${settingsColumns(tx)} from projects where name = ${name} for no key update`;
    if (!row) return { type: 'unknown' };
    if (row.version !== change.version) return { type: 'outdated', settings: toProjectSettings(row) };
    const merged: Record<string, number | null | undefined> = {
      ...ownThresholds(row.settings),
      ...change.thresholds,
    };
    const own = withoutNulls(merged);
    const thresholds: Thresholds = { ...DEFAULT_THRESHOLDS, ...own };
    const changed = Object.keys(change.thresholds ?? {}) as ThresholdName[];
    const problem = findThresholdProblem(thresholds, changed);
    if (problem) return { type: 'invalid', ...problem };
    const settings = {
      ...(change.thresholds && { thresholds: own }),
      ...(change.transcripts && {
        transcripts: withoutNulls({ ...projectTranscripts(row.settings).own, ...change.transcripts }),
      }),
    };
    const [stored] = await tx<SettingsRow[]>`
      update projects set settings = settings || ${toJsonText(settings)}::text::jsonb
      where id = ${row.id} returning ${settingsColumns(tx)}`;
    if (!stored) return { type: 'unknown' };
    if (stored.version === row.version) return { type: 'changed', settings: toProjectSettings(stored) };
    if (change.thresholds) await judgeAnew(tx, row.id, thresholds);
    const set = { ...change.thresholds, ...change.transcripts };
    await recordAct(tx, { actor, action: 'settings_changed', project: name, detail: { set } });
    return { type: 'changed', settings: toProjectSettings(stored) };
  });
}

function withoutNulls(values: Readonly<Record<string, number | null | undefined>>): Record<string, number> {
  const kept: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) if (typeof value === 'number') kept[name] = value;
  return kept;
}

/** Locks in the order in which ingest does, by id. */
async function judgeAnew(
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
