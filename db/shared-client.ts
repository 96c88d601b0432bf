/** Pages are bundled separately from the server, so `server/main.ts` shares its clients through a global symbol. */
import type postgres from 'postgres';
import { type Actor, projectsOf } from '../core/identity/actor';
import { limitReads } from './queries/limit-reads';

export interface SharedDb {
  /** Reads only the viewer's projects. */
  sql: postgres.Sql;
  /** Whom the page is rendered for. Null: a visitor before the log-in. */
  viewer(): Actor | null;
  /** Whether the server has accounts, and single sign-on for them. */
  accounts: { singleSignOn: boolean } | null;
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

function getShared(): SharedDb {
  const shared = (globalThis as Holder)[KEY];
  if (!shared) {
    throw new Error(
      'No database in this process: start the pages with `npm start` or `npm run dev`, not `next`.',
    );
  }
  return shared;
}

/** For pages that are shown before the log-in. @throws as `getSharedDb` */
export function getViewer(): Pick<SharedDb, 'accounts'> & { viewer: Actor | null } {
  const { accounts, viewer } = getShared();
  return { accounts, viewer: viewer() };
}

/**
 * The database as the viewer of the page may read it.
 * @throws an Error with the start commands if no server runs in this process, and an Error without a viewer
 */
export function getSharedDb(): SharedDb & { projects: readonly string[] | null } {
  const shared = getShared();
  const viewer = shared.viewer();
  if (viewer === null) throw new Error('A page with data was requested without a log-in.');
  const projects = projectsOf(viewer, ['read']);
  return { ...shared, sql: limitReads(shared.sql, projects), projects };
}
