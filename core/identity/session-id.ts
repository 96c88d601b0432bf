import { v5 } from 'uuid';

/** Never change it: every session would get a new id. */
const SESSION_NAMESPACE = '0d9f2a1e-6b53-5a0c-9d6e-3c1f7a4be850';

/**
 * UUIDv5 of project and key, or of a client and its own id of the session, so that two servers derive the same id. The
 * JSON array keeps the two parts separate.
 */
export function sessionId(project: string, key: string, client?: string | null): string {
  const name = client == null ? [project, key] : ['client', client, key];
  return v5(JSON.stringify(name), SESSION_NAMESPACE);
}
