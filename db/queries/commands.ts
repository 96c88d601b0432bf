/** Commands of operators to the runners of sessions. */
import type postgres from 'postgres';
import type { Command, CommandList, NewCommand } from '../../core/api/commands';
import type { CommandAction } from '../../core/protocol/commands';
import type { CommandMessage } from '../../core/protocol/messages';
import { commands } from '../schema/commands';
import { columnsText } from '../tables';
import { transact } from '../transact';
import { recordAudit } from '../transcripts/record-audit';
import type { SessionRef } from './find-session';

const MOST_LISTED = 100;
export const DEFAULT_MINUTES = 10;
/** Commands of a session that may be open at once. */
export const MOST_OPEN = 20;

function commandColumns(sql: postgres.ISql, { publicId }: SessionRef) {
  return sql`
    ${sql.unsafe(COLUMNS)}, ${publicId}::text as "sessionId",
    case when state in ('sent', 'received') and expires_at <= now() then 'expired' else state end as state`;
}
const COLUMNS = columnsText(
  commands,
  'commands',
  ['id', 'action', 'text', 'reason', 'actor', 'refusal', 'createdAt', 'expiresAt', 'changedAt'],
  'iso',
);

/** What the runners of a session carry out. */
async function listActions(sql: postgres.ISql, { id }: SessionRef): Promise<CommandAction[]> {
  const rows = await sql<{ action: CommandAction }[]>`
    select distinct unnest(s.commands) as action from session_streams x
    join streams s on s.id = x.stream_id where x.session_id = ${id} order by 1`;
  return rows.map(({ action }) => action);
}

export async function listCommands(
  sql: postgres.ISql,
  session: SessionRef,
): Promise<Omit<CommandList, 'enabled'>> {
  const rows = await sql<Command[]>`
    select ${commandColumns(sql, session)} from commands where session_id = ${session.id}
    order by created_at desc, id limit ${MOST_LISTED}`;
  return { sessionId: session.publicId, actions: await listActions(sql, session), commands: rows };
}

export type AddedCommand =
  | { type: 'added'; command: Command }
  /** No runner of the session carries out this action. */
  | { type: 'impossible'; actions: CommandAction[] }
  | { type: 'full' }
  /** Another session has a command with this id. */
  | { type: 'taken' };

/** The command and its entry in the audit log. A known id of this session adds nothing. */
export function addCommand(
  sql: postgres.Sql,
  session: SessionRef,
  { id, action, text, reason, expiresInMinutes = DEFAULT_MINUTES }: NewCommand,
  actor: string,
): Promise<AddedCommand> {
  return transact(sql, async (tx) => {
    const [known] =
      id === undefined
        ? []
        : await tx<(Command & { isOwn: boolean })[]>`
            select ${commandColumns(tx, session)}, session_id = ${session.id} as "isOwn" from commands where id = ${id}`;
    if (known !== undefined) {
      const { isOwn, ...command } = known;
      return isOwn ? { type: 'added', command } : { type: 'taken' };
    }
    const actions = await listActions(tx, session);
    if (!actions.includes(action)) return { type: 'impossible', actions };
    const [open] = await tx<{ count: number }[]>`
      select count(*)::int as count from commands
      where session_id = ${session.id} and state in ('sent', 'received') and expires_at > now()`;
    if ((open?.count ?? 0) >= MOST_OPEN) return { type: 'full' };
    const [added] = await tx<Command[]>`
      insert into commands (id, session_id, action, text, reason, actor, expires_at)
      values (coalesce(${id ?? null}::uuid, gen_random_uuid()), ${session.id}, ${action}, ${text ?? null}, ${reason ?? null}, ${actor},
        now() + make_interval(mins => ${expiresInMinutes}))
      returning ${commandColumns(tx, session)}`;
    if (!added) throw new Error('the command was not stored');
    const detail = { action, session: session.publicId, ...(reason !== undefined && { reason }) };
    await recordAudit(tx, { actor, action: 'command_sent', project: session.project, detail });
    return { type: 'added', command: added };
  });
}

/** A command that waits for a stream. */
export type PendingCommand = CommandMessage & { streamId: number };

/** Open commands for these streams, oldest first. The session has the name that the stream uses. */
export async function listPending(
  sql: postgres.Sql,
  streamIds: readonly number[],
): Promise<PendingCommand[]> {
  const rows = await sql<
    (Omit<PendingCommand, 'type' | 'text' | 'reason'> & { text: string | null; reason: string | null })[]
  >`
    select x.stream_id as "streamId", c.id, c.action, c.text, c.reason,
      (extract(epoch from c.expires_at) * 1000)::float8 as "expiresAt",
      coalesce(
        (select a.client_session_id from session_aliases a
          where a.session_id = c.session_id and a.client = s.client order by a.claimed_at desc limit 1),
        k.key
      ) as session
    from commands c
    join session_streams x on x.session_id = c.session_id
    join streams s on s.id = x.stream_id and c.action = any(s.commands)
    join sessions k on k.id = c.session_id
    where c.state in ('sent', 'received') and c.expires_at > now()
      and x.stream_id = any(${`{${streamIds}}`}::text::int[])
    order by c.created_at, c.id`;
  return rows.map(({ text, reason, ...row }) => ({
    ...{ ...row, type: 'command' as const, expiresAt: Math.floor(row.expiresAt) },
    ...(text !== null && { text }),
    ...(reason !== null && { reason }),
  }));
}
