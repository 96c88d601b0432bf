import { cache } from 'react';
import { loadSession } from '@/db/queries/load-session';
import { getSharedDb } from '@/db/shared-client';

/** One read per request: layout, title and page use the same session. */
export const loadPageSession = cache(async (id: string) => {
  const { sql, idleAfterMs } = getSharedDb();
  return loadSession(sql, id, { nowMs: Date.now(), idleAfterMs });
});
