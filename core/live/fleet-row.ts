import type { Session } from '../api/session';

/** A session as a list shows it: coverage and the clients' ids are the session page's matter. */
export function fleetRow(session: Session): Session {
  return { ...session, coverage: [], clientSessionIds: [] };
}
