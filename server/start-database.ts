/** Which database this process uses, up and migrated. */
import type { Logger } from 'pino';
import { type DatabaseClients, openDatabase } from '../db/client';
import { startEmbedded } from '../db/embedded/start-embedded';
import { migrate } from '../db/migrate';
import type { ServerSettings } from './settings';

export interface RunningDatabase extends DatabaseClients {
  /** For the operator: no password in it. */
  place: string;
  /** Closes the clients, and then stops the embedded Postgres. */
  stop(): Promise<void>;
}

export interface StartDatabaseOptions {
  settings: ServerSettings;
  migrationsFolder: string;
  log: Logger;
}

/** @throws an Error with a sentence for the operator. */
export async function startDatabase(options: StartDatabaseOptions): Promise<RunningDatabase> {
  const { settings, log } = options;
  const server = settings.databaseUrl === null ? await embedded(options) : external(settings.databaseUrl);
  try {
    await migrate(server.url, options.migrationsFolder);
  } catch (error) {
    await server.stop();
    throw settings.databaseUrl === null ? error : explain(error, server.place);
  }
  const drizzleShare = Math.max(1, Math.floor(settings.databaseConnections / 3));
  const clients = openDatabase(server.url, {
    maxConnections: settings.databaseConnections - drizzleShare,
    maxDrizzleConnections: drizzleShare,
    onNotice: (notice) => log.debug({ notice: notice.message }, 'database notice'),
  });
  return {
    ...clients,
    place: server.place,
    async stop() {
      await clients.close();
      await server.stop();
    },
  };
}

interface DatabaseServer {
  url: string;
  place: string;
  stop(): Promise<void>;
}

/** Until it is back the server answers that it has no database, and takes nothing that it could not keep. */
const DATABASE_EVENTS = {
  died: { level: 'error', words: 'the database died; starting it again' },
  down: { level: 'error', words: 'the database does not start; trying again' },
  restarted: { level: 'warn', words: 'the database is back' },
} as const;

async function embedded({ settings, log }: StartDatabaseOptions): Promise<DatabaseServer> {
  const running = await startEmbedded({
    folder: settings.dataFolder,
    // Room for a second server process and for commands beside the server.
    maxConnections: settings.databaseConnections * 2 + 20,
    onEvent(event, detail) {
      const { level, words } = DATABASE_EVENTS[event];
      log[level]({ detail: lastFault(detail) }, words);
    },
  });
  return { url: running.url, place: 'embedded PostgreSQL', stop: () => running.stop() };
}

/** Of the end of Postgres's own log the line that says why: it comes every ten seconds. */
function lastFault(detail: string): string {
  return detail.match(/^.*(?:FATAL|PANIC): .*$/gm)?.at(-1) ?? detail;
}

function external(url: string): DatabaseServer {
  const { host, pathname } = new URL(url);
  return { url, place: `PostgreSQL at ${host}${pathname} (DATABASE_URL)`, stop: () => Promise.resolve() };
}

function explain(error: unknown, place: string): Error {
  const detail = error instanceof Error ? error.message || (error as { code?: string }).code : String(error);
  return new Error(`The database does not take us. ${place}: ${detail}`, { cause: error });
}
