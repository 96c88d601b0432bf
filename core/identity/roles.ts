/** Roles of people in projects. */
import type { Actor, Right } from './actor';

export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const RIGHTS_OF: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ['read'],
  operator: ['read', 'operate'],
  admin: ['read', 'operate', 'admin'],
};

export interface ProjectRole {
  /** Null: every project, and the server. */
  project: string | null;
  role: Role;
}

/** A person with a session in a browser. */
export interface Person {
  id: string;
  name: string;
  email: string;
  /** Id of the session. */
  login: string;
  roles: readonly ProjectRole[];
  /** As in the preferences cookie of a server without accounts. */
  preferences: string;
}

export interface PersonActor extends Actor {
  person: Person;
}

/** Null: a token, or a server without accounts. */
export const personOf = (actor: Actor | null): Person | null =>
  actor !== null && 'person' in actor ? (actor as PersonActor).person : null;

/** The name in the audit log. Addresses are unique, names are not. */
export const auditName = ({ name, email }: Pick<Person, 'name' | 'email'>): string => `${name} <${email}>`;

export function actorOf(person: Person): PersonActor {
  const grants = person.roles.map(({ project, role }) => ({ project, rights: RIGHTS_OF[role] }));
  return { name: auditName(person), grants, person };
}
