/** Pages are bundled separately from the server, so `server/main.ts` shares its clients through a global symbol. */
import type postgres from 'postgres';

export interface SharedDb {
  sql: postgres.Sql;
  /** A session without activity for this long is idle (BAROGRAPH_IDLE_AFTER_MINUTES). */
  idleAfterMs: number;
  place: ServerPlace;
}

/** Prefixes of the commands that pages show for a shell on the server's machine. */
interface ServerPlace {
  /** `cd … && `, in front of the commands of the project's folder. */
  folderPrefix: string;
  /** Prefix that sets the data folder for commands; empty for the default folder. */
  dataPrefix: string;
}

const KEY = Symbol.for('barograph.db');

type Holder = { [KEY]?: SharedDb };

/** Called by `server/main.ts`. Null removes the client before it is closed. */
export function shareDb(shared: SharedDb | null): void {
  const holder = globalThis as Holder;
  if (shared) holder[KEY] = shared;
  else delete holder[KEY];
}

/** @throws an Error with the start commands if no server runs in this process. */
export function getSharedDb(): SharedDb {
  const shared = (globalThis as Holder)[KEY];
  if (!shared) {
    throw new Error(
      'No database in this process: start the pages with `npm start` or `npm run dev`, not `next`.',
    );
  }
  return shared;
}
