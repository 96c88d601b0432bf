/** People, their roles and sessions, and invitations. */
import { createHash, randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import type { ListedInvitation, ListedPerson, NewInvitation } from '../../core/api/people';
import type { Person, ProjectRole } from '../../core/identity/roles';
import { loadServerId } from './load-server-id';
import { notifyAccess } from './tokens';

const INVITED_MS = 7 * 86_400_000;
const SECRET = /^[\w-]{43}$/;

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

const ROLES_OF = `
  coalesce((select jsonb_agg(jsonb_build_object('project', r.project, 'role', r.role) order by r.project nulls first)
    from roles r where r.person_id = p.id), '[]') as roles`;

/** The person of a valid session. Null: unknown, expired or revoked. */
export async function findPerson(sql: postgres.ISql, token: string): Promise<Person | null> {
  const [row] = await sql<Person[]>`
    select p.id, p.name, p.email, p.preferences, l.id as login, ${sql.unsafe(ROLES_OF)}
    from logins l join people p on p.id = l.user_id where l.token = ${token} and l.expires_at > now()`;
  return row ?? null;
}

/** @param projects names; null: everyone */
export async function listPeople(
  sql: postgres.ISql,
  projects: readonly string[] | null,
): Promise<ListedPerson[]> {
  const people = await sql<ListedPerson[]>`
    select p.id, p.name, p.email, ${sql.unsafe(ROLES_OF)},
      (select count(*)::int from logins l where l.user_id = p.id and l.expires_at > now()) as sessions,
      (select to_json(max(l.created_at)) #>> '{}' from logins l where l.user_id = p.id) as "lastLoginAt"
    from people p order by lower(p.name), p.email`;
  if (projects === null) return people;
  return people.flatMap((person) => {
    const roles = person.roles.filter(({ project }) => project !== null && projects.includes(project));
    return roles.length === 0 ? [] : [{ ...person, roles }];
  });
}

/** Invitations that can still be accepted. */
export async function listInvitations(
  sql: postgres.ISql,
  projects: readonly string[] | null,
): Promise<ListedInvitation[]> {
  return sql<ListedInvitation[]>`
    select id, email, project, role, invited_by as "invitedBy", to_json(expires_at) #>> '{}' as "expiresAt"
    from invitations where used_at is null and expires_at > now() and email is not null
      and (${projects === null} or project = any(${[...(projects ?? [])]}))
    order by id`;
}

/** @returns the secret of the link, which cannot be read again */
export async function addInvitation(
  sql: postgres.ISql,
  { email, project, role }: Omit<NewInvitation, 'email'> & { email: string | null },
  invitedBy: string,
): Promise<{ secret: string; expiresAt: string }> {
  const secret = randomBytes(32).toString('base64url');
  const expiresAt = new Date(Date.now() + INVITED_MS).toISOString();
  await sql`
    insert into invitations (hash, email, project, role, invited_by, expires_at)
    values (${hashOf(secret)}, ${email}, ${project}, ${role}, ${invitedBy}, ${expiresAt})`;
  return { secret, expiresAt };
}

/** The open invitation of a link. */
export async function readInvitation(
  sql: postgres.ISql,
  secret: string,
): Promise<(ProjectRole & { email: string | null }) | null> {
  if (!SECRET.test(secret)) return null;
  const [row] = await sql<(ProjectRole & { email: string | null })[]>`
    select email, project, role from invitations
    where hash = ${hashOf(secret)} and used_at is null and expires_at > now()`;
  return row ?? null;
}

/** Take an open invitation, so that it cannot be used again. Without a secret: those for this address. */
export async function takeInvitations(
  sql: postgres.ISql,
  email: string,
  secret: string | null,
): Promise<ProjectRole[]> {
  return sql<ProjectRole[]>`
    update invitations set used_at = now()
    where used_at is null and expires_at > now()
      and case when ${secret === null} then email = ${email}
        else hash = ${hashOf(secret ?? '')} and coalesce(email, ${email}) = ${email} end
    returning project, role`;
}

/** @returns null: unknown, or of another project */
export async function deleteInvitation(
  sql: postgres.ISql,
  id: number,
): Promise<{ email: string; project: string | null } | null> {
  const [row] = await sql<{ email: string; project: string | null }[]>`
    delete from invitations where id = ${id} and used_at is null returning email, project`;
  return row ?? null;
}

/** @param role null: none */
export async function setRole(
  sql: postgres.ISql,
  personId: string,
  project: string | null,
  role: ProjectRole['role'] | null,
): Promise<void> {
  if (role === null) {
    await sql`delete from roles where person_id = ${personId} and project is not distinct from ${project}`;
  } else {
    await sql`
      insert into roles (person_id, project, role) values (${personId}, ${project}, ${role})
      on conflict (person_id, project) do update set role = excluded.role`;
  }
  await notifyAccess(sql);
}

/** Whether the server has an admin besides this person. Locks the admins until the transaction ends. */
export async function hasOtherAdmin(tx: postgres.TransactionSql, personId: string): Promise<boolean> {
  const admins = await tx<{ id: string }[]>`
    select person_id as id from roles where project is null and role = 'admin' for update`;
  return admins.some(({ id }) => id !== personId);
}

/** @returns the secret of a new link for the first admin, which replaces earlier ones. Null: there is an admin. */
export async function inviteFirstAdmin(sql: postgres.ISql): Promise<string | null> {
  const admins = await sql`select from roles where project is null and role = 'admin' limit 1`;
  if (admins.length > 0) return null;
  await sql`delete from invitations where email is null and used_at is null`;
  const { secret } = await addInvitation(sql, { email: null, project: null, role: 'admin' }, 'first start');
  return secret;
}

/** @returns the number of ended sessions */
export async function endLogins(sql: postgres.ISql, personId: string): Promise<number> {
  const { count } = await sql`delete from logins where user_id = ${personId}`;
  await notifyAccess(sql);
  return count;
}

/** Also deletes the open invitations for the person's address, with which the person could return. */
export async function deletePerson(
  sql: postgres.ISql,
  { id, email }: Pick<Person, 'id' | 'email'>,
): Promise<void> {
  await sql`delete from people where id = ${id}`;
  await sql`delete from invitations where email = ${email} and used_at is null`;
  await notifyAccess(sql);
}

/** Delete the open invitations that someone sent. @param project name; null: to every project */
export async function deleteInvitationsBy(
  sql: postgres.ISql,
  actor: string,
  project: string | null,
): Promise<void> {
  await sql`
    delete from invitations where invited_by = ${actor} and used_at is null
      and (${project === null} or project = ${project})`;
}

export async function savePreferences(sql: postgres.ISql, personId: string, text: string): Promise<void> {
  await sql`update people set preferences = ${text} where id = ${personId}`;
}

/** The secret that signs cookies. Every server of this database uses the same one. */
export async function loadCookieSecret(sql: postgres.ISql): Promise<string> {
  await loadServerId(sql);
  const [row] = await sql<{ secret: string }[]>`select cookie_secret as secret from server_identity`;
  if (!row) throw new Error('server_identity has no row');
  return row.secret;
}
