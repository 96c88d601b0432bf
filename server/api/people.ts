/** People with accounts, their roles and sessions, and invitations. An admin of a project sees and changes its people. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import type postgres from 'postgres';
import * as z from 'zod';
import {
  changedPerson,
  invited,
  type ListedPerson,
  newInvitation,
  peopleList,
  preferencesChange,
  roleChange,
  savedPreferences,
} from '../../core/api/people';
import { projectsOf } from '../../core/identity/actor';
import { auditName, type Person, type ProjectRole, personOf } from '../../core/identity/roles';
import { deleteTraces } from '../../db/delete-person';
import {
  addInvitation,
  deleteInvitation,
  deleteInvitationsBy,
  deletePerson,
  endLogins,
  hasOtherAdmin,
  listInvitations,
  listPeople,
  savePreferences,
  setRole,
} from '../../db/queries/people';
import { transact } from '../../db/transact';
import { recordAudit } from '../../db/transcripts/record-audit';
import { addRoute } from './add-route';
import { type ApiContext, type ApiEnv, ApiError, createApi, mayHere, named, notFound } from './api';

const personParams = z.object({ id: z.string().describe('Id of a person') });
const oneInvitation = z.object({ id: z.coerce.number().int().positive().describe('Id of an invitation') });
const onePerson = named('ChangedPerson', changedPerson);
const noPerson = () => notFound('id', 'there is no person with this id in your projects');

/** @throws ApiError 403 if the caller is no admin of the project */
function requireAdmin(c: ApiContext, project: string | null): void {
  if (mayHere(c, project)) return;
  const where = project === null ? 'the server' : `the project "${project}"`;
  throw new ApiError(403, 'forbidden', 'project', `only an admin of ${where} may do this`);
}

/** A person of the caller's projects, with the roles there. @throws ApiError 404 */
async function requirePerson(c: ApiContext, id: string): Promise<ListedPerson> {
  const people = await listPeople(c.var.sql, projectsOf(c.var.caller, ['admin']));
  const person = people.find((each) => each.id === id);
  if (!person) throw noPerson();
  return person;
}

/** @throws ApiError 409 if the server would have no admin */
async function keepAnAdmin(tx: postgres.TransactionSql, id: string): Promise<void> {
  if (await hasOtherAdmin(tx, id)) return;
  throw new ApiError(409, 'last_admin', 'id', 'this is the last admin of the server: name another one first');
}

function ownAccount(c: ApiContext): Person {
  const person = personOf(c.var.caller);
  if (person) return person;
  throw new ApiError(403, 'forbidden', '', 'this request needs the session of a person, not a token');
}

/**
 * @param origin address of the server in links
 * @param unlimited for the accounts' own data, which belong to no project
 */
export function createPeopleApi(origin: string, unlimited: postgres.Sql): OpenAPIHono<ApiEnv> {
  const api = createApi();

  addRoute(api, 'GET /people', {
    operationId: 'listPeople',
    summary: "People with a role in the caller's projects, and open invitations",
    rights: ['admin'],
    shape: named('PeopleList', peopleList),
    isPrivate: true,
    answer: async (c) => {
      const projects = projectsOf(c.var.caller, ['admin']);
      const [people, invitations] = await Promise.all([
        listPeople(c.var.sql, projects),
        listInvitations(c.var.sql, projects),
      ]);
      return { people, invitations };
    },
  });

  addRoute(api, 'POST /invitations', {
    operationId: 'invitePerson',
    summary:
      'Invite a person to a project; the link is shown only in this answer. A person with an account gets the role at once',
    body: named('NewInvitation', newInvitation),
    status: 201,
    shape: named('Invited', invited),
    answer: async (c, { body }) => {
      const { sql, actor } = c.var;
      const { email, project, role } = body;
      requireAdmin(c, project);
      return transact(sql, async (tx) => {
        const known = (await listPeople(tx, null)).find((person) => person.email === email);
        const action = known ? 'role_changed' : 'person_invited';
        await recordAudit(tx, { actor, action, project, detail: { name: email, scope: role, project } });
        if (known) {
          await giveRole(tx, known, { project, role });
          return { link: null, expiresAt: null };
        }
        const { secret, expiresAt } = await addInvitation(tx, body, actor);
        // Browsers do not send the fragment, so no log keeps the secret.
        return { link: `${origin}/invitation#${secret}`, expiresAt };
      });
    },
  });

  addRoute(api, 'DELETE /invitations/{id}', {
    operationId: 'deleteInvitation',
    summary: 'Delete an open invitation; its link stops working',
    shape: named('DeletedInvitation', z.object({ deleted: z.number() })),
    params: oneInvitation,
    answer: async (c, { params }) => {
      const { sql, actor, caller } = c.var;
      const open = await listInvitations(sql, projectsOf(caller, ['admin']));
      const found = open.find(({ id }) => id === params.id);
      if (!found || !(await deleteInvitation(sql, params.id))) {
        throw notFound('id', 'there is no open invitation with this id');
      }
      const { email: name, project } = found;
      await recordAudit(sql, { actor, action: 'invitation_deleted', project, detail: { name, project } });
      return { deleted: params.id };
    },
  });

  addRoute(api, 'PATCH /people/{id}/role', {
    operationId: 'changeRole',
    summary: "Set or remove a person's role in a project",
    body: named('RoleChange', roleChange),
    shape: onePerson,
    params: personParams,
    answer: async (c, { params: { id }, body: { project, role } }) => {
      const { sql, actor } = c.var;
      requireAdmin(c, project);
      const person = await requirePerson(c, id);
      await transact(sql, async (tx) => {
        await giveRole(tx, person, { project, role });
        const detail = { name: auditName(person), scope: role ?? 'no role', project };
        await recordAudit(tx, { actor, action: 'role_changed', project, detail });
      });
      return { id };
    },
  });

  addRoute(api, 'DELETE /people/{id}/sessions', {
    operationId: 'endSessions',
    summary: 'Log a person out of every browser, within a second',
    shape: onePerson,
    params: personParams,
    answer: async (c, { params: { id } }) => {
      const { sql, actor } = c.var;
      // A session is of the whole server: it may belong to an admin of another project or of the server.
      requireAdmin(c, null);
      const person = await requirePerson(c, id);
      await endLogins(sql, id);
      await recordAudit(sql, { actor, action: 'sessions_ended', detail: { name: auditName(person) } });
      return { id };
    },
  });

  addRoute(api, 'DELETE /people/{id}', {
    operationId: 'deletePerson',
    summary: 'Delete an account with its notes. In the audit log, a tombstone replaces the name',
    shape: onePerson,
    params: personParams,
    answer: async (c, { params: { id } }) => {
      const { sql, actor } = c.var;
      requireAdmin(c, null);
      const person = await requirePerson(c, id);
      await transact(sql, (tx) => keepAnAdmin(tx, id));
      // First, so that a failure leaves an account that can be deleted again.
      const name = await deleteTraces(sql, person);
      await transact(sql, async (tx) => {
        await keepAnAdmin(tx, id);
        await deletePerson(tx, person);
        await recordAudit(tx, { actor, action: 'person_deleted', detail: { name } });
      });
      return { id };
    },
  });

  addRoute(api, 'PATCH /me/preferences', {
    operationId: 'savePreferences',
    summary: "Store the preferences of the person's account",
    rights: ['read', 'operate', 'admin'],
    body: named('PreferencesChange', preferencesChange),
    shape: named('SavedPreferences', savedPreferences),
    answer: async (c, { body }) => {
      await savePreferences(unlimited, ownAccount(c).id, body.preferences);
      return body;
    },
  });

  return api;
}

async function giveRole(
  tx: postgres.TransactionSql,
  person: ListedPerson,
  { project, role }: { project: string | null; role: ProjectRole['role'] | null },
): Promise<void> {
  if (project === null && role !== 'admin') await keepAnAdmin(tx, person.id);
  await setRole(tx, person.id, project, role);
  // An invitation to an address of one's own would bring the rights back.
  if (role !== 'admin') await deleteInvitationsBy(tx, auditName(person), project);
}
