import { getSharedDb } from '@/db/shared-client';

/** How commands on this machine reach this server, for the commands on pages. */
export function connectFacts() {
  const { folderPrefix, dataPrefix, url } = getSharedDb().place;
  return { folderPrefix, dataPrefix, origin: url };
}
