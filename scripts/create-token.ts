/**
 * Makes an access token and prints it, once: `npm run token -- --name NAME --scope ingest|read`.
 *
 * Works beside a running server and without one; the token itself is the only line on stdout.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from '../db/client';
import { readLockHolder, takeOwnerLock } from '../db/embedded/owner-lock';
import { findRunningEmbedded, startEmbedded } from '../db/embedded/start-embedded';
import { migrate } from '../db/migrate';
import { createToken } from '../db/queries/tokens/create-token';
import { TOKEN_SCOPES } from '../db/queries/tokens/token-scope';
import { readSettings } from '../server/settings';
import { projectFolder } from './lib/project-folder';

interface Database {
  url: string;
  stop(): Promise<void>;
}

const nothingToStop = () => Promise.resolve();

async function openDatabase(): Promise<Database> {
  const { databaseUrl, dataFolder } = readSettings(projectFolder);
  if (databaseUrl !== null) return { url: databaseUrl, stop: nothingToStop };
  if (readLockHolder(dataFolder)) {
    const url = findRunningEmbedded(dataFolder);
    if (url !== null) return { url, stop: nothingToStop };
    throw new Error('A server is starting or stopping on this data folder. Try again in a moment.');
  }
  mkdirSync(dataFolder, { recursive: true });
  const claim = takeOwnerLock(dataFolder, 'The token command', '');
  if (!claim.taken) throw new Error(`${claim.holder.what} has just started on this data folder. Try again.`);
  try {
    const embedded = await startEmbedded({ folder: dataFolder });
    return {
      url: embedded.url,
      async stop() {
        await embedded.stop();
        claim.lock.release();
      },
    };
  } catch (error) {
    claim.lock.release();
    throw error;
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { name: { type: 'string' }, scope: { type: 'string' } } });
  const name = values.name?.trim() ?? '';
  const scope = TOKEN_SCOPES.find((candidate) => candidate === values.scope);
  if (name === '' || name.length > 200 || scope === undefined) {
    throw new Error(`Usage: npm run token -- --name NAME --scope ${TOKEN_SCOPES.join('|')}`);
  }
  const database = await openDatabase();
  try {
    await migrate(database.url, join(projectFolder, 'db', 'migrations'));
    const sql = connect(database.url, 1, { applicationName: 'barograph-token' });
    try {
      process.stderr.write(`Token "${name}" of scope ${scope}. It is shown this once:\n`);
      process.stdout.write(`${await createToken(sql, { name, scope })}\n`);
    } finally {
      await sql.end({ timeout: 5 });
    }
  } finally {
    await database.stop();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
