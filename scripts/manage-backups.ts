/**
 * `barograph backup [FILE]` writes a backup of the database, also while a server runs. `restore FILE` restores it
 * into an empty database. `distribute` distributes a Citus database.
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type postgres from 'postgres';
import { restoreBackup } from '../db/backup/restore-backup';
import { listMissingBytes, writeBackup } from '../db/backup/write-backup';
import { connect } from '../db/client';
import { distribute } from '../db/distribute';
import { recordAudit } from '../db/transcripts/record-audit';
import { projectFolder } from './lib/project-folder';
import { withDatabase } from './lib/with-database';

const USAGE = 'Usage: barograph backup [FILE]\n       barograph restore FILE\n       barograph distribute';
const APPLICATION = { applicationName: 'barograph-backup' };

async function backup(file: string): Promise<void> {
  if (existsSync(file)) throw new Error(`${file} exists. Choose another name.`);
  const draft = `${file}.unfinished`;
  try {
    const turns = await withDatabase({ what: 'The backup command' }, async (url) => {
      const sql = connect(url, 1, APPLICATION);
      try {
        const count = await writeFile(draft, (write) =>
          writeBackup(sql, join(projectFolder, 'db', 'migrations'), write),
        );
        await recordAudit(sql, { actor: 'command', action: 'backup_made', detail: { file: basename(file) } });
        await warnOfMissingBytes(sql, 'Copy that place, too.');
        return count;
      } finally {
        await sql.end({ timeout: 5 });
      }
    });
    renameSync(draft, file);
    const megabytes = (statSync(file).size / 1e6).toFixed(1);
    process.stdout.write(`Wrote ${file}: ${turns} turns, ${megabytes} MB.\n`);
  } finally {
    rmSync(draft, { force: true });
  }
}

async function warnOfMissingBytes(sql: postgres.Sql, remedy: string): Promise<void> {
  for (const line of await listMissingBytes(sql)) process.stdout.write(`${line} ${remedy}\n`);
}

type Write = (text: string | Uint8Array) => Promise<void>;

/** Write a compressed file that is on disk when this resolves. */
async function writeFile<T>(path: string, work: (write: Write) => Promise<T>): Promise<T> {
  const zip = createGzip({ level: 5 });
  const written = pipeline(zip, createWriteStream(path, { mode: 0o600 }));
  const ended = new AbortController();
  // A full disk ends the backup at once.
  const failed = written.then(() => new Promise<never>(() => undefined));
  try {
    const result = await Promise.race([
      work(async (text) => {
        if (!zip.write(text)) await once(zip, 'drain', { signal: ended.signal });
      }),
      failed,
    ]);
    zip.end();
    await written;
    const file = await open(path, 'r+');
    await file.sync();
    await file.close();
    return result;
  } catch (error) {
    ended.abort();
    zip.destroy();
    await finished(zip).catch(() => undefined);
    throw error;
  }
}

async function restore(file: string): Promise<void> {
  await withDatabase({ what: 'The restore command', alone: true }, async (url) => {
    const sql = connect(url, 1, APPLICATION);
    try {
      await restoreBackup(sql, readLines(file));
      const [row] = await sql`select count(*) as turns from turns`;
      process.stdout.write(`Restored ${row?.turns} turns. Start the server now.\n`);
      await warnOfMissingBytes(sql, 'Restore that place, too.');
    } finally {
      await sql.end({ timeout: 5 });
    }
  });
}

async function* readLines(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  const text = source.pipe(createGunzip()).setEncoding('utf8');
  source.on('error', (error) => text.destroy(error));
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const [command, file, ...others] = process.argv.slice(2);
const day = new Date().toISOString().slice(0, 16).replaceAll(/[:-]/g, '').replace('T', '-');
const runs: Record<string, (() => Promise<void>) | false> = {
  backup: () => backup(resolve(file ?? `barograph-${day}.sql.gz`)),
  restore: file !== undefined && (() => restore(resolve(file))),
  distribute: file === undefined && (() => withDatabase({ what: 'The distribute command' }, distribute)),
};
const run = (others.length === 0 && runs[command ?? '']) || null;
if (run === null) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
} else {
  run().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
