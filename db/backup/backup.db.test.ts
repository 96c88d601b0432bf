import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { makeChannel, makeRule } from '../alerts/testing/make-rules';
import { deliver, NOON, numbered, openTestStream, type Words } from '../ingest/ingest-testing';
import { migrate } from '../migrate';
import { createToken } from '../queries/tokens';
import { createTestDatabase, openTestDatabase } from '../testing/test-database';
import { makeProject, makeTranscript, storeFile } from '../transcripts/transcripts-testing';
import { linesOf, withEmpty } from './backup-testing';
import { restoreBackup } from './restore-backup';
import { writeBackup } from './write-backup';

const { sql } = await openTestDatabase();
const migrations = fileURLToPath(new URL('../migrations', import.meta.url));

/** Text with all characters that a line format may break. */
const HARD = 'tab\t line\n return\r separator\u2028 \\. \\N "quotes" \u{1f9ed} $$';

async function fill(): Promise<void> {
  const stream = await openTestStream(sql, {
    project: HARD.trim()
      .slice(0, 60)
      .replaceAll(/\p{Cc}/gu, ' '),
  });
  const words: Words[] = [];
  for (let n = 0; n < 300; n += 1) {
    words.push({
      type: 'turn',
      session: `s${n % 7}`,
      at: NOON + n,
      call: `c${n}`,
      usage: { input: n, output: 1 },
    });
  }
  words.push({ type: 'session_start', session: 'titled', at: NOON, title: HARD });
  words.push({ type: 'turn', session: 'old', at: NOON - 60 * 86_400_000, usage: { input: 5 } });
  await deliver(sql, stream, numbered(words));
  const projectId = await makeProject(sql);
  const transcriptId = await makeTranscript(sql, projectId, 's');
  const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, n) => (n * 7_919) % 251));
  await storeFile(sql, { projectId, transcriptId, file: bytes });
  await createToken(sql, { name: 'kept', scopes: ['read'] });
  const channel = await makeChannel(sql, 'webhook', { url: 'http://127.0.0.1:9/' }, { key: 'k'.repeat(16) });
  await makeRule(sql, { kind: 'over_limit' }, { channels: [channel] });
}

/** Number and hash of the rows of every table, in any order, and the state of the sequences. */
async function contentOf(client: postgres.Sql): Promise<Record<string, string>> {
  const tables = await client<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'drizzle') order by 1`;
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await client.unsafe(`
      select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as sum from ${name} t`);
    found[name] = String(row?.sum);
  }
  const sequences = await client`select sequencename as name, last_value from pg_sequences order by 1`;
  for (const { name, last_value } of sequences) found[`sequence ${name}`] = String(last_value);
  return found;
}

async function writeText(client = sql): Promise<string> {
  const parts: Buffer[] = [];
  await writeBackup(client, migrations, async (part) => void parts.push(Buffer.from(part)));
  return Buffer.concat(parts).toString();
}

const countTables = async (client: postgres.Sql) =>
  (await client`select from pg_tables where schemaname in ('public', 'drizzle')`).length;

test('restores every table, partition and sequence, and the restored database accepts items', async () => {
  await fill();
  const text = await writeText();
  const before = await contentOf(sql);
  expect(Object.keys(before).filter((name) => /turns_m\d+/.test(name)).length).toBeGreaterThan(1);
  await withEmpty(async (restored, url) => {
    await restoreBackup(restored, linesOf(text));
    expect(await contentOf(restored)).toEqual(before);
    await migrate(url, migrations);
    const stream = await openTestStream(restored, { project: 'later' });
    await deliver(
      restored,
      stream,
      numbered([{ type: 'turn', session: 'new', at: NOON, usage: { input: 1 } }]),
    );
    expect(await writeText(restored)).toContain('-- End of the backup.');
  });
});

test.each([
  ['without its last line', (text: string) => text.replace(/.*\n$/, '')],
  ['cut within the rows', (text: string) => text.slice(0, text.indexOf('copy public.sessions') + 300)],
  ['with a damaged row', (text: string) => text.replace(/(copy public\.projects .*\n)\d+/, '$1x')],
  [
    'with a repeated row',
    (text: string) => text.replace(/(copy public\.projects [^\n]*\n)([^\n]*\n)/, '$1$2$2'),
  ],
])('restores nothing from a file %s', async (_, damage) => {
  const text = await writeText();
  const damaged = damage(text);
  expect(damaged).not.toBe(text);
  await withEmpty(async (empty) => {
    await expect(restoreBackup(empty, linesOf(damaged))).rejects.toThrow();
    expect(await countTables(empty)).toBe(0);
  });
});

test('reports a file that cannot be read to its end', async () => {
  const text = await writeText();
  async function* broken(): AsyncGenerator<string> {
    for await (const line of linesOf(text)) {
      yield line;
      if (line.startsWith('copy public.sessions')) throw new Error('unexpected end of file');
    }
  }
  await withEmpty(async (empty) => {
    const reason = 'The file is incomplete or damaged: unexpected end of file.';
    await expect(restoreBackup(empty, broken())).rejects.toThrow(reason);
    expect(await countTables(empty)).toBe(0);
  });
});

test('refuses a database that is not empty', async () => {
  await expect(restoreBackup(sql, linesOf(''))).rejects.toThrow('The database is not empty.');
});

test('refuses to write a backup of a database that another version made', async () => {
  const other = await createTestDatabase();
  try {
    await other.sql`update drizzle.__drizzle_migrations set hash = 'other'`;
    await expect(writeText(other.sql)).rejects.toThrow('Another version of Barograph made this database.');
  } finally {
    await other.close();
  }
});
