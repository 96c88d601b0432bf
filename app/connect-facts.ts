import { getSharedDb } from '@/db/shared-client';

/** How this server is reached from a shell on its machine, for the commands that pages show. */
export function connectFacts() {
  const { folderPrefix, dataPrefix, url } = getSharedDb().place;
  return { folderPrefix, dataPrefix, origin: url };
}
