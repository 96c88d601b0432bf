/** Starts one server process: wiring only. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Actor, LOCAL_PERSON } from '../core/identity/actor';
import { seedRules } from '../db/alerts/check-due';
import { allowCommands } from '../db/alerts/rule-book';
import { judgeFault } from '../db/judge-fault';
import { loadServerId } from '../db/queries/load-server-id';
import { inviteFirstAdmin } from '../db/queries/people';
import { shareDb } from '../db/shared-client';
import { checkArchiveStore, setArchiveStore } from '../db/transcripts/archive-store';
import { openSecretBox } from './alerts/secret-box';
import { startAlerts } from './alerts/start-alerts';
import { createAuthenticator } from './auth/authenticator';
import { AlreadyRunningError, claimPlace } from './claim-place';
import { createLog } from './create-log';
import { createRoutes } from './create-routes';
import { createBudgets } from './http/budgets';
import { createHttpServer, describeError } from './http/create-http-server';
import type { ServerContext } from './http/endpoint';
import { createStorageState } from './http/storage-state';
import { observeProcess } from './metrics';
import { startNatsHints } from './nats-hints';
import { createLeftOut } from './otlp/left-out';
import { startReplica } from './replica';
import { announceMode, findUnreadSettings, readSettings } from './settings';
import { startDatabase } from './start-database';
import { stopOnSignals } from './stop-on-signals';
import { startContentsWorker } from './transcripts/contents-worker';
import { commandPrefixes, findProjectFolder, formatWelcome } from './welcome';
import { prepareConnection, retireConnectionFile, writeConnectionFile } from './write-connection-file';

const CONNECTIONS_END_MS = 5_000;
/** Connections for accounts, which only log-ins use. */
const ACCOUNT_CONNECTIONS = 2;

async function start(): Promise<void> {
  // The process exits with this code if the event loop ends before the server is ready.
  process.exitCode = 1;
  const isDevelopment = process.argv.includes('--dev');
  const project = findProjectFolder(import.meta.url);
  announceMode(isDevelopment, project.path);
  const settings = readSettings(project.path);
  const log = createLog(settings.logLevel, process.stderr);
  const unread = findUnreadSettings(project.path).join(', ');
  if (unread !== '')
    log.warn(`${unread} in .env: only runners read this, from their environment; it has no effect here.`);

  /** Functions that stop the running parts, called in reverse order. */
  const ends: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.reverse()) await end();
  };
  const beginEnd = stopOnSignals(stop, log);
  const fail = (what: string) => (error: unknown) => {
    log.fatal({ err: describeError(error) }, what);
    beginEnd(1);
  };
  process.on('uncaughtException', fail('unexpected error'));
  process.on('unhandledRejection', (error) => {
    // A lost connection never stops the server, even if the driver rejects a statement that no caller awaits.
    if (judgeFault(error) === 'unavailable')
      log.warn({ err: describeError(error) }, 'a database statement lost its connection');
    else fail('unexpected rejection')(error);
  });

  try {
    const server = createHttpServer(log, settings.edge, settings.limits.CONNECTIONS);
    const place = await claimPlace(server, settings, process.argv.includes('--started-by-up'));
    ends.push(place.lock.release);
    const database = await startDatabase(settings, join(project.path, 'db', 'migrations'), log);
    ends.push(database.stop);
    const serverId = await loadServerId(database.sql);
    if (settings.natsServers.length > 0) {
      const nats = { servers: settings.natsServers, prefix: `barograph.${serverId}`, log };
      ends.push((await startNatsHints(database.sql, nats)).close);
    }
    setArchiveStore(settings.archiveStore);
    // Everything but archives works without it.
    checkArchiveStore(database.sql).catch((error) =>
      log.warn({ err: describeError(error) }, 'archives cannot be stored'),
    );
    await seedRules(database.sql);
    if (settings.sendsCommands) allowCommands(database.sql);
    const folders = {
      dataFolder: settings.dataFolder,
      isDefaultDataFolder: settings.isDefaultDataFolder,
      projectFolder: project.path,
    };
    observeProcess(project.version, settings.role);
    const publicUrl = settings.edge.publicUrl ?? new URL(`http://localhost:${place.port}`);
    const accounts = settings.accounts
      ? // Loaded only when it is needed, because it would slow down every start.
        await (await import('./auth/accounts')).createAccounts({
          sql: database.sql,
          own: database.open(ACCOUNT_CONNECTIONS, 'barograph-accounts'),
          log,
          publicUrl,
          singleSignOn: settings.singleSignOn,
        })
      : null;
    const shownUrl = accounts ? publicUrl.origin : place.url;
    const firstAdmin = accounts && settings.role !== 'ingest' ? await inviteFirstAdmin(database.sql) : null;
    const viewers = new AsyncLocalStorage<Actor>();
    shareDb({
      sql: database.sql,
      viewer: () => viewers.getStore() ?? null,
      accounts: accounts && { singleSignOn: settings.singleSignOn !== null },
      idleAfterMs: settings.idleAfterMinutes * 60_000,
      place: commandPrefixes(folders),
    });
    ends.push(() => shareDb(null));
    const secrets = openSecretBox(settings.dataFolder, settings.secretsKey);
    const auth = createAuthenticator(database.sql);
    ends.push(auth.close);
    const replica =
      settings.databaseReadUrl === null || settings.role === 'ingest'
        ? null
        : startReplica({
            url: settings.databaseReadUrl,
            connections: settings.databaseConnections,
            statementSeconds: settings.statementSeconds,
            primary: database.sql,
            serverId,
            log,
          });
    if (replica) ends.push(replica.close);
    const context: ServerContext = {
      secrets,
      sql: database.sql,
      auth: { ...auth, ...(accounts && { findPerson: accounts.findPerson }) },
      accounts,
      probe: database.probe,
      replica,
      storage: createStorageState(),
      budgets: createBudgets(settings.limits),
      leftOut: createLeftOut(),
      log,
      settings,
      epoch: randomUUID(),
      version: project.version,
    };
    const connection = await prepareConnection(database.sql, settings.dataFolder, place.url);
    const routes = await createRoutes(context, {
      folder: project.path,
      port: place.port,
      isDevelopment,
      viewers,
      findViewer: accounts?.findPerson ?? (async () => LOCAL_PERSON),
      identity: { server: serverId, secret: connection.secret },
    });
    ends.push(async () => {
      server.stopTaking();
      await Promise.all(routes.map(({ endpoint }) => endpoint.close()));
      await server.close(CONNECTIONS_END_MS);
    });
    if (settings.role !== 'web') {
      ends.push(startContentsWorker({ sql: database.sql, log }).close);
      const alerts = await startAlerts({
        sql: database.sql,
        log,
        idleAfterMs: settings.idleAfterMinutes * 60_000,
        base: shownUrl,
        allowPrivate: settings.alertsMayGoPrivate,
        secrets,
      });
      ends.push(alerts.close);
    }
    writeConnectionFile(settings.dataFolder, connection);
    ends.push(() => retireConnectionFile(settings.dataFolder));
    server.serve(routes, database.probe);
    process.exitCode = 0;
    process.stdout.write(
      formatWelcome({
        version: project.version,
        url: shownUrl,
        firstAdminLink: firstAdmin === null ? null : `${publicUrl.origin}/invitation#${firstAdmin}`,
        ...folders,
        database: database.place,
        role: settings.role,
      }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
}

start().catch((error: unknown) => {
  if (error instanceof AlreadyRunningError) {
    process.stdout.write(`${error.message}\n`);
    process.exit(0);
  }
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`Barograph did not start. ${text}\n`);
  process.exit(1);
});
