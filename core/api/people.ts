/** People with accounts, their roles, and invitations. */
import * as z from 'zod';
import { ROLES } from '../identity/roles';
import { name, oneOf, strict, text } from './parameters';

const role = oneOf(ROLES);
const projectRole = z.object({
  /** Null: every project, and the server. */
  project: z.string().nullable(),
  role,
});

const listedPerson = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  /** Roles in the caller's projects. */
  roles: z.array(projectRole),
  /** Browsers that are logged in. */
  sessions: z.number(),
  lastLoginAt: z.iso.datetime({ offset: true }).nullable(),
});
export type ListedPerson = z.infer<typeof listedPerson>;

const listedInvitation = z.object({
  id: z.number(),
  email: z.string(),
  project: z.string().nullable(),
  role,
  invitedBy: z.string(),
  expiresAt: z.iso.datetime({ offset: true }),
});
export type ListedInvitation = z.infer<typeof listedInvitation>;

export const peopleList = z.object({
  people: z.array(listedPerson),
  invitations: z.array(listedInvitation),
});
export type PeopleList = z.infer<typeof peopleList>;

const project = name.nullable().describe('Name of a project; null: every project, and the server');
const email = z.email('must be an e-mail address').max(200, 'must have at most 200 characters').toLowerCase();

export const newInvitation = strict({ email, project, role });
export type NewInvitation = z.infer<typeof newInvitation>;

/** `link` has the secret, which is shown only in this answer. Null: the person has an account and got the role. */
export const invited = z.object({ link: z.string().nullable(), expiresAt: z.string().nullable() });
export type Invited = z.infer<typeof invited>;

export const roleChange = strict({ project, role: role.nullable().describe('null: no role') });

export const changedPerson = z.object({ id: z.string() });
export const preferencesChange = strict({ preferences: text(1_000) });
export const savedPreferences = z.object({ preferences: z.string() });

const openInvitation = z.object({
  email: z.string().nullable(),
  project: z.string().nullable(),
  role,
});
export type OpenInvitation = z.infer<typeof openInvitation>;
export const invitationSecret = strict({ secret: text(100) });
