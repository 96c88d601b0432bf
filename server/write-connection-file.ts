/**
 * `connection.json` in the data folder: address and tokens for commands on this machine.
 *
 * The tokens are the only ones that lie in clear, in a file that only the server's account can read. They
 * are kept as long as the database knows them, so that a runner that read the file stays welcome.
 */
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import { CONNECTION_FILE, type ConnectionFile, connectionFile } from '../core/settings/connection-file';
import { createToken } from '../db/queries/tokens/create-token';
import { verifyToken } from '../db/queries/tokens/verify-token';

type Scope = 'ingest' | 'read';

/** Returns the path of the file. */
export async function writeConnectionFile(
  sql: postgres.Sql,
  dataFolder: string,
  url: string,
): Promise<string> {
  const path = join(dataFolder, CONNECTION_FILE);
  const before = readConnectionFile(path);
  const content: ConnectionFile = {
    url,
    ingestToken: await keepOrCreate(sql, before?.ingestToken, 'ingest'),
    readToken: await keepOrCreate(sql, before?.readToken, 'read'),
  };
  const draft = `${path}.unfinished`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  // The mode of writeFileSync holds for new files only.
  chmodSync(draft, 0o600);
  renameSync(draft, path);
  return path;
}

function readConnectionFile(path: string): ConnectionFile | null {
  try {
    return connectionFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Missing or unreadable: new tokens are made, and nothing else depends on it.
    return null;
  }
}

async function keepOrCreate(sql: postgres.Sql, token: string | undefined, scope: Scope): Promise<string> {
  if (token !== undefined && (await verifyToken(sql, token))?.scope === scope) return token;
  return createToken(sql, { name: `local ${scope}`, scope });
}
