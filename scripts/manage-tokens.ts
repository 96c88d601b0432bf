/**
 * Access tokens: `npm run token -- --name NAME --scope ingest|read|admin` creates one and prints it on stdout, `--list`
 * lists active ones, `--revoke NAME_OR_ID` revokes one. With `--project`, an ingest token only writes that project. Works with and without a running server.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../db/client';
import { readLockHolder, takeOwnerLock } from '../db/embedded/owner-lock';
import { findRunningEmbedded, startEmbedded } from '../db/embedded/start-embedded';
import { migrate } from '../db/migrate';
import { readSettings } from '../server/settings';
import { projectFolder } from './lib/project-folder';
import { parseTokenCommand, runTokenCommand, USAGE } from './lib/run-token-command';

/** Use DATABASE_URL or the running server's database. Otherwise start the embedded database for this command. */
async function withDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const { databaseUrl, dataFolder } = readSettings(projectFolder);
  if (databaseUrl !== null) return work(databaseUrl);
  if (readLockHolder(dataFolder)) {
    const url = findRunningEmbedded(dataFolder);
    if (url !== null) return work(url);
    throw new Error('A server is starting or stopping on this data folder. Try again in a moment.');
  }
  mkdirSync(dataFolder, { recursive: true });
  const claim = takeOwnerLock(dataFolder, 'The token command', '');
  if (!claim.taken) throw new Error(`${claim.holder.what} has just started on this data folder. Try again.`);
  try {
    const embedded = await startEmbedded({ folder: dataFolder });
    try {
      await work(embedded.url);
    } finally {
      await embedded.stop();
    }
  } finally {
    claim.lock.release();
  }
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const command = parseTokenCommand(args);
  await withDatabase(async (url) => {
    await migrate(url, join(projectFolder, 'db', 'migrations'));
    const sql = connect(url, 1, { applicationName: 'barograph-token' });
    try {
      const { output, note } = await runTokenCommand(sql, command);
      if (note !== '') process.stderr.write(`${note}\n`);
      process.stdout.write(`${output}\n`);
    } finally {
      await sql.end({ timeout: 5 });
    }
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
