import type postgres from 'postgres';
import { forgetRules } from './alerts/rule-book';
import { deleteSession } from './delete-session';
import { notifyAlerts } from './notify-alerts';
import { shownProject } from './queries/project-settings';
import { existing } from './queries/session-row';
import { transact } from './transact';
import { lockProject } from './transcripts/change-transcript';
import { removeFiles } from './transcripts/chunk-store';
import { recordAudit } from './transcripts/record-audit';

/**
 * Delete a project: its sessions with turns, events and transcripts, its alerts, the alert rules for this project only,
 * and its settings. Tombstones refuse resends. Sessions are deleted one at a time, so an interrupted deletion can be
 * repeated.
 * @returns the number of deleted sessions; null for an unknown or deleted project
 */
export async function deleteProject(sql: postgres.Sql, name: string, actor: string): Promise<number | null> {
  const [project] = await sql<{ id: number }[]>`
    select id from projects p where name = ${name} and ${shownProject(sql)}`;
  if (!project) return null;
  const { id } = project;
  const sessions = await sql<{ publicId: string }[]>`
    select public_id as "publicId" from sessions s where project_id = ${id} and ${existing(sql)} order by s.id`;
  for (const { publicId } of sessions) await deleteSession(sql, publicId);
  await transact(sql, async (tx) => {
    await lockProject(tx, id);
    const transcripts = await tx<{ id: number }[]>`
      select id from transcripts where project_id = ${id} order by id for update`;
    await removeFiles(
      tx,
      transcripts.map((row) => row.id),
    );
    await tx`delete from transcripts where project_id = ${id}`;
    await tx`
      with gone as (
        delete from alerts where session_id in (select id from sessions where project_id = ${id})
          or runner_id in (select id from runners where project_id = ${id}) returning id
      ), waiting as (
        delete from alert_outbox o using gone where o.alert_id = gone.id and o.delivery_id is null
      )
      delete from alert_mutes where session_id in (select id from sessions where project_id = ${id})`;
    await tx`
      update alert_rules set deleted_at = clock_timestamp()
      where deleted_at is null and definition->'scope'->'project' = jsonb_build_array(${name}::text)`;
    await emptyRunners(tx, tx`project_id = ${id}`);
    await tx`update projects set settings = '{"deleted": true}' where id = ${id}`;
    await recordAudit(tx, {
      actor,
      action: 'project_deleted',
      project: name,
      detail: { sessions: sessions.length },
    });
    await notifyAlerts(tx);
  });
  forgetRules(sql);
  return sessions.length;
}

/**
 * Delete the sessions of a runner with everything in them, its alerts, name and host. Its row remains as a tombstone.
 * Can be repeated after an interruption, like the deletion of a project.
 * @returns the number of deleted sessions; null for an unknown runner
 */
export async function deleteRunner(
  sql: postgres.Sql,
  project: string,
  runner: string,
  actor: string,
): Promise<number | null> {
  const [found] = await sql<{ id: number }[]>`
    select r.id from runners r join projects p on p.id = r.project_id where p.name = ${project} and r.name = ${runner}`;
  if (!found) return null;
  const { id } = found;
  const sessions = await sql<{ publicId: string }[]>`
    select public_id as "publicId" from sessions s where runner_id = ${id} and ${existing(sql)} order by s.id`;
  for (const { publicId } of sessions) await deleteSession(sql, publicId);
  const tombstone = `deleted runner ${id}`;
  await transact(sql, async (tx) => {
    await tx`
      delete from alerts where runner_id = ${id} or session_id in (select id from sessions where runner_id = ${id})`;
    await emptyRunners(tx, tx`id = ${id}`);
    const detail = { name: tombstone, sessions: sessions.length };
    await recordAudit(tx, { actor, action: 'runner_deleted', project, detail });
    await notifyAlerts(tx);
  });
  return sessions.length;
}

/** Remove names and hosts. A runner that returns gets a new row, so its streams get other ids here. */
async function emptyRunners(tx: postgres.TransactionSql, which: postgres.Fragment): Promise<void> {
  await tx`update streams set stream = gen_random_uuid() where runner_id in (select id from runners where ${which})`;
  // A runner without a time is never reported as disconnected.
  await tx`update runners set name = 'deleted runner ' || id, host = null, version = null, seen_at = null where ${which}`;
}
