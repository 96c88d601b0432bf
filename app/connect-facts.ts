import { getSharedDb } from '@/db/shared-client';

/** Parts of the commands on pages: this server's folder, data folder and address. */
export function connectFacts() {
  const { folderPrefix, dataPrefix, url } = getSharedDb().place;
  return { folderPrefix, dataPrefix, origin: url };
}
