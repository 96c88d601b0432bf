/**
 * `connection.json` in the data folder: address, tokens and secret for commands on this machine.
 *
 * It is there while the server runs. When the server stops it becomes `last-connection.json`, so that nobody takes
 * whoever has the port then for this server; runners find there where to queue for, and must see the secret proven. Its
 * tokens are the only ones that lie in clear, in a file that only the server's account can read. They are kept as long as
 * the database knows them, and the secret for ever, so that a runner that read the file stays welcome.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import {
  CONNECTION_FILE,
  type ConnectionFile,
  connectionFile,
  LAST_CONNECTION_FILE,
} from '../core/settings/connection-file';
import { createToken } from '../db/queries/tokens/create-token';
import { verifyToken } from '../db/queries/tokens/verify-token';

type Scope = 'ingest' | 'read';

const SECRET_BYTES = 32;

/** What the file is to hold: what the one before held, as far as it is still good. */
export async function prepareConnection(
  sql: postgres.Sql,
  dataFolder: string,
  url: string,
): Promise<ConnectionFile> {
  const before =
    readConnectionFile(join(dataFolder, CONNECTION_FILE)) ??
    readConnectionFile(join(dataFolder, LAST_CONNECTION_FILE));
  return {
    url,
    ingestToken: await keepOrCreate(sql, before?.ingestToken, 'ingest'),
    readToken: await keepOrCreate(sql, before?.readToken, 'read'),
    secret: before?.secret ?? newSecret(),
  };
}

export function writeConnectionFile(dataFolder: string, content: ConnectionFile): void {
  const path = join(dataFolder, CONNECTION_FILE);
  const draft = `${path}.unfinished`;
  // A file that is there keeps its rights when it is written to, and must not be readable for a moment.
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
  rmSync(join(dataFolder, LAST_CONNECTION_FILE), { force: true });
}

/** The server stops. A folder that cannot be written to any more is no reason not to. */
export function retireConnectionFile(dataFolder: string): void {
  try {
    renameSync(join(dataFolder, CONNECTION_FILE), join(dataFolder, LAST_CONNECTION_FILE));
  } catch {
    rmSync(join(dataFolder, CONNECTION_FILE), { force: true });
  }
}

function readConnectionFile(path: string): ConnectionFile | null {
  try {
    // One of an earlier version has no secret, and good tokens.
    const content = { secret: newSecret(), ...(JSON.parse(readFileSync(path, 'utf8')) as object) };
    return connectionFile.parse(content);
  } catch {
    // Missing or unreadable: new tokens are made, and nothing else depends on it.
    return null;
  }
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

async function keepOrCreate(sql: postgres.Sql, token: string | undefined, scope: Scope): Promise<string> {
  if (token !== undefined && (await verifyToken(sql, token))?.scope === scope) return token;
  return createToken(sql, { name: `local ${scope}`, scope });
}
