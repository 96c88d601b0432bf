/**
 * The second layer of access, in PostgreSQL. The server's role owns no table and cannot change the audit log. A client
 * for some projects (queries/limit-reads.ts) takes a role that the policies below limit to the rows of these projects.
 *
 * Policies are no migration, because roles belong to the whole PostgreSQL server and not to one database.
 */
import { createHash, createHmac } from 'node:crypto';
import type postgres from 'postgres';
import { connect } from './client';
import { engine } from './engine';
import { MEMBER_ROLE, PROJECTS_SETTING } from './queries/limit-reads';
import { retryDeadlocks } from './retry-deadlocks';
import { transact } from './transact';

/** Role of the server in the embedded database. */
const SERVER_ROLE = 'barograph_server';

/** Key of the advisory lock: an arbitrary number that every version shares. */
const ACCESS_LOCK = '6120384492716650351';

const PROJECTS = `(select current_setting('${PROJECTS_SETTING}'))::text[]`;
const BY_NAME = `project = any(${PROJECTS})`;
/** A subquery is limited by the policy of its own table. */
const BY_PROJECT = 'project_id = any(array(select p.id from projects p))';
const BY_RUNNER = 'runner_id = any(array(select r.id from runners r))';
const BY_SESSION = 'exists (select from sessions s where s.id = session_id)';
const BY_TRANSCRIPT = 'exists (select from transcripts t where t.id = transcript_id)';

const ALL = 'select, insert, update, delete';

/**
 * Of each table: what members may do, and with which rows. `change`: which rows they may change, if not all that they read.
 * `add`: rows that they may add besides.
 */
const MEMBERS: Readonly<
  Record<string, { may: string; where: string; change?: string; add?: string } | null>
> = {
  projects: { may: ALL, where: `name = any(${PROJECTS})` },
  sessions: { may: ALL, where: BY_PROJECT },
  runners: { may: ALL, where: BY_PROJECT },
  // A project without sessions has no row.
  audit_log: { may: 'select, insert', where: BY_PROJECT, add: 'project_id is null' },
  transcripts: { may: ALL, where: BY_PROJECT },
  transcript_chunks: { may: ALL, where: BY_PROJECT },
  unreferenced_objects: { may: ALL, where: BY_PROJECT },
  transcript_parts: { may: ALL, where: BY_PROJECT },
  transcript_segments: { may: ALL, where: BY_PROJECT },
  transcript_files: { may: ALL, where: BY_TRANSCRIPT },
  transcript_contents: { may: ALL, where: BY_TRANSCRIPT },
  transcript_losses: { may: ALL, where: BY_TRANSCRIPT },
  transcript_pages: { may: ALL, where: BY_TRANSCRIPT },
  transcript_secrets: { may: ALL, where: BY_TRANSCRIPT },
  transcript_segment_uses: { may: ALL, where: BY_TRANSCRIPT },
  turns: { may: ALL, where: BY_SESSION },
  reports: { may: ALL, where: BY_SESSION },
  contexts: { may: ALL, where: BY_SESSION },
  chains: { may: ALL, where: BY_SESSION },
  pyramid: { may: ALL, where: BY_SESSION },
  events: { may: ALL, where: BY_SESSION },
  checkpoints: { may: ALL, where: BY_SESSION },
  compositions: { may: ALL, where: BY_SESSION },
  call_aliases: { may: ALL, where: BY_SESSION },
  refuted_limits: { may: ALL, where: BY_SESSION },
  session_history: { may: ALL, where: BY_SESSION },
  history_changes: { may: ALL, where: BY_SESSION },
  session_aliases: { may: ALL, where: BY_SESSION },
  session_streams: { may: ALL, where: BY_SESSION },
  notes: { may: ALL, where: BY_SESSION },
  commands: { may: ALL, where: BY_SESSION },
  alert_mutes: { may: ALL, where: BY_SESSION },
  history: { may: ALL, where: BY_RUNNER },
  streams: { may: ALL, where: BY_RUNNER },
  deliveries: { may: ALL, where: 'exists (select from streams s where s.id = stream_id)' },
  alerts: { may: ALL, where: `${BY_RUNNER} or ${BY_SESSION}` },
  alert_outbox: { may: ALL, where: 'exists (select from alerts a where a.id = alert_id)' },
  alert_deliveries: { may: 'select', where: 'false' },
  // Rules and channels belong to no project. Members see those of their alerts, without addresses and secrets.
  alert_rules: {
    may: 'select, update',
    where: 'exists (select from alerts a where a.rule_id = alert_rules.id)',
    change: `definition->'scope'->'project' <@ to_jsonb(${PROJECTS}) and definition->'scope'->'project' <> '[]'`,
  },
  alert_channels: { may: 'select', where: "kind in ('browser', 'command')" },
  models: { may: 'select', where: 'true' },
  roles: { may: ALL, where: BY_NAME },
  invitations: { may: ALL, where: BY_NAME },
  // Admins of a project give roles to people of other projects.
  people: { may: 'select (id, name, email, preferences)', where: 'true' },
  logins: {
    may: 'select (id, user_id, created_at, expires_at)',
    where: 'exists (select from roles r where r.person_id = user_id)',
  },
  credentials: null,
  passkeys: null,
  challenges: null,
  tokens: null,
  server_identity: null,
};

/** Clients of owners, by the client of a server without ownership. */
const owners = new WeakMap<object, postgres.Sql>();

/** The client that creates and drops partitions. */
export const ownerOf = (sql: postgres.Sql): postgres.Sql => owners.get(sql) ?? sql;

export function setOwner(sql: postgres.Sql, owner: postgres.Sql): void {
  owners.set(sql, owner);
}

/** Address of the embedded database for the server's role. Its password is derived from the owner's. */
export function serverUrlOf(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.password = createHmac('sha256', decodeURIComponent(url.password)).update(SERVER_ROLE).digest('hex');
  url.username = SERVER_ROLE;
  return url.href;
}

/**
 * Create the roles, privileges and policies, and repeat them if they or the role changed.
 * @param serverUrl of a role without ownership; null: the server uses the owner's
 * @returns why the owner's role may not do this, so that PostgreSQL limits no client; null: it limits them
 */
export async function grantAccess(ownerUrl: string, serverUrl: string | null): Promise<string | null> {
  const { username, password } = serverUrl === null ? {} : new URL(serverUrl);
  const isEmbedded = serverUrl === serverUrlOf(ownerUrl);
  const server = username === undefined ? null : decodeURIComponent(username);
  const owner = connect(ownerUrl, 1, { applicationName: 'barograph-access' });
  try {
    const grant = async (tx: postgres.TransactionSql) => {
      await tx`select pg_advisory_xact_lock(${ACCESS_LOCK}::bigint)`;
      const [state] = await tx<{ mark: string | null; schema: string; me: string; isCitus: boolean }[]>`
        select obj_description('server_identity'::regclass, 'pg_class') as mark, current_schema() as schema,
          current_user as me, to_regclass('pg_dist_partition') is not null as "isCitus"`;
      const { mark, schema, me, isCitus } = state ?? { mark: null, schema: 'public', me: '', isCitus: false };
      engine.isCitus = isCitus;
      if (isCitus) return 'Citus refuses policies with subqueries';
      const statements = [
        ...createRoles(me, server, isEmbedded ? (password ?? null) : null),
        ...privileges(schema, server),
        ...Object.keys(MEMBERS).flatMap((table) => policies(table, server)),
      ];
      const wanted = `access ${createHash('sha256').update(JSON.stringify(statements)).digest('hex')}`;
      if (mark !== wanted)
        await tx.unsafe([...statements, `comment on table server_identity is '${wanted}'`].join(';\n'));
      return null;
    };
    return await retryDeadlocks(() => transact(owner, grant));
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== '42501' || server !== null) throw error;
    return message;
  } finally {
    await owner.end({ timeout: 5 });
  }
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function createRoles(me: string, server: string | null, password: string | null): string[] {
  const ifMissing = (role: string, options: string) => `
    do $$ begin
      if not exists (select from pg_roles where rolname = ${literal(role)}) then create role ${quote(role)} ${options}; end if;
    end $$`;
  const join = (role: string) => `
    do $$ begin
      if not exists (
        select from pg_auth_members m
        where m.roleid = ${literal(MEMBER_ROLE)}::regrole and m.member = ${literal(quote(role))}::regrole and not m.admin_option
      ) then grant ${MEMBER_ROLE} to ${quote(role)}; end if;
    end $$`;
  return [
    ifMissing(MEMBER_ROLE, 'nologin'),
    ...(password === null
      ? []
      : [
          ifMissing(SERVER_ROLE, 'login noinherit'),
          `alter role ${SERVER_ROLE} login noinherit nosuperuser nocreatedb nocreaterole password ${literal(password)}`,
        ]),
    join(me),
    ...(server === null ? [] : [join(server)]),
  ];
}

function privileges(schema: string, server: string | null): string[] {
  const roles = [MEMBER_ROLE, ...(server === null ? [] : [quote(server)])].join(', ');
  return [
    `grant usage on schema ${quote(schema)} to ${roles}`,
    `grant usage, select on all sequences in schema ${quote(schema)} to ${roles}`,
  ];
}

function policies(table: string, server: string | null): string[] {
  const member = MEMBERS[table] ?? null;
  const policy = (name: string, rest: string) => [
    `drop policy if exists ${name} on ${table}`,
    `create policy ${name} on ${table} ${rest}`,
  ];
  const forServer =
    server === null
      ? []
      : [
          `revoke all on ${table} from ${quote(server)}`,
          `grant ${table === 'audit_log' ? 'select, insert' : ALL} on ${table} to ${quote(server)}`,
          // A constant condition costs nothing, and one role serves all clients without a limit.
          ...policy('barograph_server', `to ${quote(server)} using (true) with check (true)`),
        ];
  const where = member?.change ?? member?.where ?? 'false';
  return [
    `alter table ${table} enable row level security`,
    ...forServer,
    `revoke all on ${table} from ${MEMBER_ROLE}`,
    ...(member === null ? [] : [`grant ${member.may} on ${table} to ${MEMBER_ROLE}`]),
    ...policy('barograph_member', `to ${MEMBER_ROLE} using (${where})`),
    ...(member?.add === undefined
      ? []
      : policy('barograph_member_adds', `for insert to ${MEMBER_ROLE} with check (${member.add})`)),
    ...(member?.change === undefined
      ? []
      : policy('barograph_member_reads', `for select to ${MEMBER_ROLE} using (${member.where})`)),
  ];
}
