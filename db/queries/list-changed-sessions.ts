import type postgres from 'postgres';

export interface ChangedSession {
  id: string;
  version: number;
  /** Deleted, or adopted by another. */
  gone: boolean;
}

/** Sessions that a transaction changed since then, by the database's clock. */
export async function listChangedSessions(sql: postgres.ISql, sinceMs: number): Promise<ChangedSession[]> {
  return sql<ChangedSession[]>`
    select public_id as id, version, (deleted_at is not null or adopted_by is not null) as gone
    from sessions where changed_at >= ${new Date(sinceMs)}`;
}
