/** Commands that rules send when their alerts fire. */
import type postgres from 'postgres';
import type { Command } from '../../core/api/commands';
import { toJsonText } from '../json-text';
import { DEFAULT_MINUTES } from '../queries/commands';

/** `id`: that of the alert, so that an alert sends its command once. */
export type RuleCommand = Pick<Command, 'id' | 'action' | 'text' | 'reason' | 'actor'> & {
  sessionId: number;
};

/** Add the commands that a runner of the session carries out, each with its entry in the audit log. */
export async function addRuleCommands(sql: postgres.ISql, commands: readonly RuleCommand[]): Promise<void> {
  await sql`
    with added as (
      insert into commands (id, session_id, action, text, reason, actor, expires_at)
      select r.id, r."sessionId", r.action, r.text, r.reason, r.actor, now() + make_interval(mins => ${DEFAULT_MINUTES})
      from json_to_recordset(${toJsonText(commands)}::text::json)
        as r (id uuid, "sessionId" bigint, action text, text text, reason text, actor text)
      where exists (
        select from session_streams x join streams s on s.id = x.stream_id
        where x.session_id = r."sessionId" and r.action = any(s.commands)
      )
      on conflict do nothing returning *
    )
    insert into audit_log (actor, action, project_id, detail)
    select a.actor, 'command_sent', s.project_id,
      jsonb_build_object('action', a.action, 'session', s.public_id, 'reason', a.reason)
    from added a join sessions s on s.id = a.session_id`;
}
