/**
 * Claims the port and the data folder, which only one server may use.
 *
 * The port is claimed first, so that a failing start changes nothing.
 */
import { mkdirSync } from 'node:fs';
import { type LockHolder, type OwnerLock, readLockHolder, takeOwnerLock } from '../db/embedded/owner-lock';
import type { HttpServer } from './http/create-http-server';
import { hostInUrl } from './http/gate';
import type { ServerSettings } from './settings';

/** Another server runs on this data folder; the message names it. */
export class AlreadyRunningError extends Error {
  override readonly name = 'AlreadyRunningError';
}

export interface ClaimedPlace {
  port: number;
  url: string;
  lock: OwnerLock;
}

/**
 * @param isStartedByUp whether `barograph down` may stop this server
 * @throws AlreadyRunningError when a server runs on this data folder, and an Error for the operator when the
 * port is taken or the folder cannot be created.
 */
export async function claimPlace(
  server: HttpServer,
  settings: ServerSettings,
  isStartedByUp: boolean,
): Promise<ClaimedPlace> {
  try {
    // Root runs Postgres as another account, which must be able to enter the folder.
    mkdirSync(settings.dataFolder, { recursive: true, mode: 0o711 });
  } catch (error) {
    throw new Error(
      `The data folder ${settings.dataFolder} cannot be created (${(error as NodeJS.ErrnoException).code}). ` +
        'Choose another folder with BAROGRAPH_DATA_DIR.',
      { cause: error },
    );
  }
  const port = await listen(server, settings);
  // Commands on this machine reach a server that binds every address by its loopback address.
  const isWildcard = settings.host === '0.0.0.0' || settings.host === '::';
  const url = `http://${isWildcard ? '127.0.0.1' : hostInUrl(settings.host)}:${port}`;
  const result = takeOwnerLock(settings.dataFolder, 'Barograph', url, { isStartedByUp });
  if (result.taken) return { port, url, lock: result.lock };
  throw new AlreadyRunningError(describeHolder(result.holder, settings.dataFolder));
}

async function listen(server: HttpServer, settings: ServerSettings): Promise<number> {
  try {
    return await server.listen(settings.port, settings.host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const place = `${hostInUrl(settings.host)}:${settings.port}`;
    if (code === 'EADDRINUSE') {
      const holder = readLockHolder(settings.dataFolder);
      if (holder) throw new AlreadyRunningError(describeHolder(holder, settings.dataFolder));
      const reason = `Another program has ${place} already. Set BAROGRAPH_PORT to a free port, for example BAROGRAPH_PORT=4681.`;
      throw new Error(reason, { cause: error });
    }
    if (code === 'EACCES') {
      throw new Error(
        `${place}: this account may not use port ${settings.port}. Set BAROGRAPH_PORT to one above 1023.`,
      );
    }
    throw error;
  }
}

function describeHolder(holder: LockHolder, folder: string): string {
  const where = holder.url === '' ? '' : ` at ${holder.url}`;
  return `${holder.what} is already running${where} (process ${holder.pid}, since ${holder.since}, data in ${folder}).`;
}
