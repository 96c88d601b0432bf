/** Starts one server process: wiring only. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { loadServerId } from '../db/queries/load-server-id';
import { shareDb } from '../db/shared-client';
import { AlreadyRunningError, claimPlace } from './claim-place';
import { createLog } from './create-log';
import { createRoutes } from './create-routes';
import { createHttpServer, describeError } from './http/create-http-server';
import type { ServerContext } from './http/endpoint';
import { announceMode, findUnreadSettings, readSettings } from './settings';
import { startDatabase } from './start-database';
import { stopOnSignals } from './stop-on-signals';
import { startContentsWorker } from './transcripts/contents-worker';
import { commandPrefixes, findProjectFolder, formatWelcome } from './welcome';
import { prepareConnection, retireConnectionFile, writeConnectionFile } from './write-connection-file';

const CONNECTIONS_END_MS = 5_000;

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
  process.on('unhandledRejection', fail('unexpected rejection'));

  try {
    const server = createHttpServer(log);
    const place = await claimPlace(server, settings, process.argv.includes('--started-by-up'));
    ends.push(place.lock.release);
    const database = await startDatabase(settings, join(project.path, 'db', 'migrations'), log);
    ends.push(database.stop);
    const folders = {
      dataFolder: settings.dataFolder,
      isDefaultDataFolder: settings.isDefaultDataFolder,
      projectFolder: project.path,
    };
    shareDb({
      sql: database.sql,
      idleAfterMs: settings.idleAfterMinutes * 60_000,
      place: commandPrefixes(folders),
    });
    ends.push(() => shareDb(null));
    const context: ServerContext = {
      sql: database.sql,
      probe: database.probe,
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
      identity: { server: await loadServerId(database.sql), secret: connection.secret },
    });
    ends.push(async () => {
      server.stopTaking();
      await Promise.all(routes.map(({ endpoint }) => endpoint.close()));
      await server.close(CONNECTIONS_END_MS);
    });
    if (settings.role !== 'web') {
      ends.push(startContentsWorker({ sql: database.sql, log }).close);
    }
    writeConnectionFile(settings.dataFolder, connection);
    ends.push(() => retireConnectionFile(settings.dataFolder));
    server.serve(routes, database.probe);
    process.exitCode = 0;
    process.stdout.write(
      formatWelcome({
        version: project.version,
        url: place.url,
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
