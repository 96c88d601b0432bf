import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withEmpty } from './backup/backup-testing';
import { migrate } from './migrate';
import { createTestDatabase, openTestDatabase } from './testing/test-database';

const { sql, url } = await openTestDatabase();

const migrations = fileURLToPath(new URL('./migrations', import.meta.url));
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'barograph-migrate-'));
  cpSync(migrations, folder, { recursive: true });
  const path = join(folder, 'meta', '_journal.json');
  const journal = JSON.parse(readFileSync(path, 'utf8')) as { entries: { idx: number; when: number }[] };
  const last = journal.entries.at(-1);
  journal.entries.push({
    ...last,
    idx: journal.entries.length,
    when: (last?.when ?? 0) + 1,
    tag: 'one_more',
  } as never);
  writeFileSync(path, JSON.stringify(journal));
  writeFileSync(
    join(folder, 'one_more.sql'),
    'create table one_more (n int); insert into one_more values (1);',
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('migrating', () => {
  it('refuses the data of another development version, with instructions', async () => {
    const old = await createTestDatabase();
    try {
      await old.sql`update drizzle.__drizzle_migrations set hash = ${'0'.repeat(64)}`;
      await expect(migrate(old.url, migrations)).rejects.toThrow(
        'The data was written by another development version and cannot be upgraded. Move the data folder away',
      );
    } finally {
      await old.close();
    }
  });

  it('changes nothing in a current database', async () => {
    const count = () => sql`select count(*) as n from drizzle.__drizzle_migrations`;
    const before = await count();
    await migrate(url, migrations);
    expect(await count()).toEqual(before);
  });

  it('applies each step once when several processes migrate at once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => migrate(url, folder)));
    expect(await sql`select count(*) as n from one_more`).toMatchObject([{ n: 1 }]);
  });

  it('refuses a database that a newer version has upgraded', async () => {
    await migrate(url, folder);
    await expect(migrate(url, migrations)).rejects.toThrow(
      'A newer version of Barograph has upgraded this database. Start that version or a later one',
    );
  });

  it('moves the statements of refuted limits from turns into their own table, in every month', async () => {
    const old = mkdtempSync(join(tmpdir(), 'barograph-migrate-'));
    cpSync(migrations, old, { recursive: true });
    const path = join(old, 'meta', '_journal.json');
    const { entries, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as { entries: object[] };
    writeFileSync(path, JSON.stringify({ ...rest, entries: entries.slice(0, 8) }));
    await withEmpty(async (sql, url) => {
      await migrate(url, old);
      await sql`create table turns_m0 partition of turns for values from (0) to (1099511627776)`;
      const names = await sql<{ name: string; type: string }[]>`
        select column_name as name, data_type as type from information_schema.columns
        where table_name = 'turns' and is_nullable = 'NO'`;
      const zero = names.map(({ name, type }) => [name, type.startsWith('timestamp') ? '2026-01-01' : 0]);
      const row = { ...Object.fromEntries(zero), session_id: 5 };
      const rows = [
        { ...row, position: 1, call_key: '7', stated_limit: 200_000, stated_by: 2 },
        { ...row, position: 2, call_key: '8' },
      ];
      await sql`insert into turns select * from json_populate_recordset(null::turns, ${JSON.stringify(rows)}::text::json)`;
      await migrate(url, migrations);
      expect([...(await sql`select *, tableoid::regclass::text as part from refuted_limits`)]).toEqual([
        { session_id: 5, call_key: 7, limit_tokens: 200_000, source: 2, part: 'refuted_limits_m0' },
      ]);
      await expect(sql`select stated_limit from turns`).rejects.toThrow('does not exist');
    }).finally(() => rmSync(old, { recursive: true, force: true }));
  });

  it('reports the cause of a failed step without its SQL', async () => {
    const path = join(folder, 'meta', '_journal.json');
    const journal = JSON.parse(readFileSync(path, 'utf8')) as { entries: { idx: number; when: number }[] };
    const last = journal.entries.at(-1);
    journal.entries.push({ ...last, when: (last?.when ?? 0) + 1, tag: 'broken' } as never);
    writeFileSync(path, JSON.stringify(journal));
    writeFileSync(join(folder, 'broken.sql'), 'create table one_more (n int);');
    await expect(migrate(url, folder)).rejects.toThrow(
      'The database could not be migrated: relation "one_more" already exists.',
    );
  });
});
