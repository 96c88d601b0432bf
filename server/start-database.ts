/** Starts or connects the database of this process, and migrates it. */
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { connect } from '../db/client';
import { startEmbedded } from '../db/embedded/start-embedded';
import { migrate } from '../db/migrate';
import type { ServerSettings } from './settings';

export interface RunningDatabase {
  sql: postgres.Sql;
  /** For the operator, without the password. */
  place: string;
  /** Closes the connections, then stops the embedded Postgres. */
  stop(): Promise<void>;
}

export interface StartDatabaseOptions {
  settings: ServerSettings;
  migrationsFolder: string;
  log: Logger;
}

/** @throws an Error for the operator. */
export async function startDatabase(options: StartDatabaseOptions): Promise<RunningDatabase> {
  const { settings, log } = options;
  const server = settings.databaseUrl === null ? await embedded(options) : external(settings.databaseUrl);
  try {
    await migrate(server.url, options.migrationsFolder);
  } catch (error) {
    await server.stop();
    throw settings.databaseUrl === null ? error : explain(error, server.place);
  }
  const sql = connect(server.url, settings.databaseConnections, {
    onNotice: (notice) => log.debug({ notice: notice.message }, 'database notice'),
  });
  return {
    sql,
    place: server.place,
    async stop() {
      await sql.end({ timeout: CLOSE_TIMEOUT_S });
      await server.stop();
    },
  };
}

const CLOSE_TIMEOUT_S = 5;

interface DatabaseServer {
  url: string;
  place: string;
  stop(): Promise<void>;
}

/** While it is down the server answers 503 and accepts no items. */
const DATABASE_EVENTS = {
  died: { level: 'error', words: 'the database died; starting it again' },
  down: { level: 'error', words: 'the database does not start; trying again' },
  restarted: { level: 'warn', words: 'the database is back' },
} as const;

async function embedded({ settings, log }: StartDatabaseOptions): Promise<DatabaseServer> {
  const running = await startEmbedded({
    folder: settings.dataFolder,
    // Room for a second server process and for commands on this machine.
    maxConnections: settings.databaseConnections * 2 + 20,
    onEvent(event, detail) {
      const { level, words } = DATABASE_EVENTS[event];
      log[level]({ detail: lastFault(detail) }, words);
    },
  });
  return { url: running.url, place: 'embedded PostgreSQL', stop: () => running.stop() };
}

/** The line of Postgres's log that gives the reason: the event repeats every ten seconds. */
function lastFault(detail: string): string {
  return detail.match(/^.*(?:FATAL|PANIC): .*$/gm)?.at(-1) ?? detail;
}

function external(url: string): DatabaseServer {
  const { host, pathname } = new URL(url);
  return { url, place: `PostgreSQL at ${host}${pathname} (DATABASE_URL)`, stop: () => Promise.resolve() };
}

function explain(error: unknown, place: string): Error {
  const detail = error instanceof Error ? error.message || (error as { code?: string }).code : String(error);
  return new Error(`Cannot use the database. ${place}: ${detail}`, { cause: error });
}
