/**
 * `connection.json` in the data folder: address, tokens and secret for commands on this machine.
 *
 * The file exists while the server runs. When the server stops, the file becomes `last-connection.json`. Runners read
 * the address there to queue items, and must verify the secret before they send. Only this file has tokens in plain
 * text, and only the server's account can read it. Tokens and secret are reused, so that runners stay authorized.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import {
  CONNECTION_FILE,
  type ConnectionFile,
  LAST_CONNECTION_FILE,
  parseConnectionFile,
} from '../core/settings/connection-file';
import { createToken, verifyToken } from '../db/queries/tokens';

const LOCAL_SCOPES = { ingest: ['ingest', 'archive'], read: ['read'] } as const;

const SECRET_BYTES = 32;

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
  // The file is replaced, because an overwritten file keeps its mode and might be readable for a moment.
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
  rmSync(join(dataFolder, LAST_CONNECTION_FILE), { force: true });
}

/** Called when the server stops. A folder that is no longer writable is not an error. */
export function retireConnectionFile(dataFolder: string): void {
  try {
    renameSync(join(dataFolder, CONNECTION_FILE), join(dataFolder, LAST_CONNECTION_FILE));
  } catch {
    rmSync(join(dataFolder, CONNECTION_FILE), { force: true });
  }
}

function readConnectionFile(path: string): ConnectionFile | null {
  try {
    // A file of an earlier version has no secret, but valid tokens.
    const content = { secret: newSecret(), ...(JSON.parse(readFileSync(path, 'utf8')) as object) };
    return parseConnectionFile(content);
  } catch {
    // The file is missing or unreadable, so new tokens are created.
    return null;
  }
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

async function keepOrCreate(
  sql: postgres.Sql,
  token: string | undefined,
  use: keyof typeof LOCAL_SCOPES,
): Promise<string> {
  const known = token === undefined ? null : await verifyToken(sql, token);
  if (token !== undefined && known?.scopes.includes(use)) return token;
  return createToken(sql, { name: `local ${use}`, scopes: LOCAL_SCOPES[use] });
}
