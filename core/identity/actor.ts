/** Who sends a request, and what they may do. Every check of access ends in `may` or `projectsOf`. */
import { TOKEN_SCOPES, type TokenScope } from './token-scopes';

/**
 * A scope of a token, or `operate`: changes of an operator's daily work, such as notes, commands and acknowledged
 * alerts. No right includes another.
 */
export type Right = TokenScope | 'operate';

interface Grant {
  rights: readonly Right[];
  /** Null: every project, and what belongs to no project. */
  project: string | null;
}

/** A token, a person, or the page of a server without accounts. */
export interface Actor {
  /** For messages and the audit log. */
  name: string;
  grants: readonly Grant[];
}

/** The person at this machine, on a server without accounts. */
export const LOCAL_PERSON: Actor = {
  name: 'browser',
  grants: [{ rights: [...TOKEN_SCOPES, 'operate'], project: null }],
};

/**
 * Whether the actor has one of the rights in a project.
 * @param project null: for what belongs to no project, such as tokens and channels
 */
export function may(
  { grants }: Pick<Actor, 'grants'>,
  rights: readonly Right[],
  project: string | null,
): boolean {
  return grants.some(
    (grant) =>
      (grant.project === null || grant.project === project) &&
      grant.rights.some((right) => rights.includes(right)),
  );
}

/** The projects in which the actor has one of the rights. Null: every project. Empty: none. */
export function projectsOf(
  { grants }: Pick<Actor, 'grants'>,
  rights: readonly Right[],
): readonly string[] | null {
  const projects = new Set<string>();
  for (const { project, rights: granted } of grants) {
    if (!granted.some((right) => rights.includes(right))) continue;
    if (project === null) return null;
    projects.add(project);
  }
  return [...projects];
}
