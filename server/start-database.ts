/** Starts or connects the database of this process, migrates it, and limits what the server may do in it. */
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { grantAccess, serverUrlOf, setOwner } from '../db/access';
import { connect } from '../db/client';
import { startEmbedded } from '../db/embedded/start-embedded';
import { findPooler } from '../db/find-pooler';
import { migrate } from '../db/migrate';
import { createDatabaseProbe } from './http/database-probe';
import type { ServerSettings } from './settings';

const CLOSE_TIMEOUT_S = 5;

/** While the database is down, the server answers 503 and accepts no items. */
const DATABASE_EVENTS = {
  died: { level: 'error', words: 'the database died; starting it again' },
  down: { level: 'error', words: 'the database does not start; trying again' },
  restarted: { level: 'warn', words: 'the database is back' },
} as const;

/** @throws an Error for the operator. */
export async function startDatabase(settings: ServerSettings, migrationsFolder: string, log: Logger) {
  const { databaseUrl, databaseDirectUrl: directUrl } = settings;
  const embedded = databaseUrl === null ? await startOwn(settings, log) : null;
  const url = embedded ? serverUrlOf(embedded.url) : (databaseUrl ?? '');
  const ownerUrl = embedded?.url ?? settings.databaseOwnerUrl ?? directUrl ?? url;
  const isApart = embedded !== null || settings.databaseOwnerUrl !== null;
  const place = embedded ? 'embedded PostgreSQL' : describePlace(url);
  let unlimited: string | null;
  try {
    if (databaseUrl !== null && directUrl === null && (await findPooler(databaseUrl))) {
      log.warn(
        `${place} is a pooler in transaction mode. Without DATABASE_DIRECT_URL, the address of PostgreSQL itself, ` +
          'pages show changes after up to five seconds. docs/operations.md has the steps.',
      );
    }
    // The owner's statements must have no names either.
    if (settings.databaseOwnerUrl !== null) await findPooler(settings.databaseOwnerUrl);
    await migrate(ownerUrl, migrationsFolder);
    unlimited = await grantAccess(ownerUrl, isApart ? url : null);
  } catch (error) {
    await embedded?.stop();
    throw explain(error, embedded ? `Data folder ${settings.dataFolder}` : place);
  }
  const sql = connect(url, settings.databaseConnections, {
    directUrl,
    statementSeconds: settings.statementSeconds,
    onNotice: (notice) => log.debug({ notice: notice.message }, 'database notice'),
  });
  // The embedded database has its settings from this code.
  if (!embedded) await warnOfUnsafeSettings(sql, place, log);
  const probing = connect(url, 1, { directUrl, applicationName: 'barograph-probe' });
  const clients = [sql, probing];
  if (isApart) {
    const owner = connect(ownerUrl, 1, { applicationName: 'barograph-owner', idleSeconds: 30 });
    setOwner(sql, owner);
    clients.push(owner);
  }
  if (unlimited !== null) {
    const reason = `${place} does not check the projects of people and tokens a second time: ${unlimited}`;
    log.warn(`${reason}. docs/operations.md has the steps.`);
  }
  return {
    sql,
    /** A further client, which `stop` closes. */
    open(max: number, applicationName: string): postgres.Sql {
      const client = connect(url, max, { directUrl, applicationName });
      clients.push(client);
      return client;
    },
    probe: createDatabaseProbe(probing),
    /** For the operator, without the password. */
    place,
    /** Close the connections, then stop the embedded Postgres. */
    async stop() {
      await Promise.all(clients.map((client) => client.end({ timeout: CLOSE_TIMEOUT_S })));
      await embedded?.stop();
    },
  };
}

/** Without these settings a power failure can lose acknowledged turns or damage the database. */
async function warnOfUnsafeSettings(sql: postgres.Sql, place: string, log: Logger): Promise<void> {
  const unsafe = await sql<{ name: string }[]>`
    select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off' order by name`;
  for (const { name } of unsafe) {
    log.warn(`${place} has ${name} = off: a power failure can lose acknowledged turns. Set ${name} = on.`);
  }
}

function startOwn({ dataFolder, databaseConnections }: ServerSettings, log: Logger) {
  return startEmbedded({
    folder: dataFolder,
    // Room for a second server process and for commands on this machine.
    maxConnections: databaseConnections * 2 + 20,
    onEvent(event, detail) {
      const { level, words } = DATABASE_EVENTS[event];
      log[level]({ detail: lastFault(detail) }, words);
    },
  });
}

/** Only the reason from PostgreSQL's log, because the event repeats every ten seconds. */
function lastFault(detail: string): string {
  return detail.match(/^.*(?:FATAL|PANIC): .*$/gm)?.at(-1) ?? detail;
}

function describePlace(url: string): string {
  const { host, pathname } = new URL(url);
  return `PostgreSQL at ${host}${pathname} (DATABASE_URL)`;
}

function explain(error: unknown, place: string): Error {
  const detail = error instanceof Error ? error.message || (error as { code?: string }).code : String(error);
  return new Error(`Cannot use the database. ${place}: ${detail}`, { cause: error });
}
