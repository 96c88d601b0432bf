import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rollUpAll } from './history/history-testing';
import { deliver, NOON, numbered, openTestStream, readSnapshot, type Words } from './ingest/ingest-testing';
import { migrate } from './migrate';
import { createTestDatabase } from './testing/test-database';

const database = await createTestDatabase();
afterAll(() => database.close());

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

/** A folder with the first migration alone: what a server of that time had. */
function firstFolder(): string {
  const first = mkdtempSync(join(tmpdir(), 'barograph-migrate-first-'));
  cpSync(migrations, first, { recursive: true });
  const path = join(first, 'meta', '_journal.json');
  const journal = JSON.parse(readFileSync(path, 'utf8')) as { entries: unknown[] };
  writeFileSync(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, 1) }));
  return first;
}

describe('migrating', () => {
  it('a data folder of the first version gives its months all tables, and takes what is new', async () => {
    const old = await createTestDatabase();
    const { sql } = old;
    const first = firstFolder();
    try {
      await sql.unsafe('drop schema public cascade; drop schema drizzle cascade; create schema public');
      await migrate(old.url, first);
      const month = new Date(NOON).getUTCFullYear() * 12 + new Date(NOON).getUTCMonth();
      for (const table of ['turns', 'reports', 'contexts', 'chains', 'pyramid', 'events', 'checkpoints']) {
        await sql.unsafe(`create table ${table}_m${month} (like ${table} including all);
          alter table ${table} attach partition ${table}_m${month} for values in (${month})`);
      }
      await migrate(old.url, migrations);
      const partitions = await sql`
        select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'compositions'::regclass and c.relkind = 'r'`;
      expect(partitions).toEqual([{ name: `compositions_m${month}` }]);
      const stream = await openTestStream(sql);
      const composition = { roles: [{ role: 'user', messages: 1, tokens: 7 }], suggestions: [] };
      const words: Words = { type: 'turn', session: 's', at: NOON, usage: { input: 1 }, composition };
      await deliver(sql, stream, numbered([words]));
      expect((await readSnapshot(sql)).compositions).toMatchObject([{ composition }]);
    } finally {
      rmSync(first, { recursive: true, force: true });
      await old.close();
    }
  });

  it('a data folder from before there was history gets the history of what it holds', async () => {
    const old = await createTestDatabase();
    const { sql } = old;
    const first = firstFolder();
    try {
      await sql.unsafe('drop schema public cascade; drop schema drizzle cascade; create schema public');
      await migrate(old.url, first);
      await sql.unsafe(`
        create table turns_m1 partition of turns for values in (1);
        create table events_m1 partition of events for values in (1);
        insert into projects (name) values ('shop');
        insert into runners (project_id, name) values (1, 'desk');
        insert into sessions (public_id, month, project_id, key, runner_id, fold, owner, last_position, started_at)
        values (gen_random_uuid(), 1, 1, 's', 1, '{}', 1, 5, now());
        insert into turns (position, seq, input, output, cache_read, cache_creation, cumulative_input, cumulative_output,
          cumulative_cache_read, limit_tokens, runner_time, server_time, chart_time, call_key, hash, stream_id, session_id,
          number, context, bits, chain, month)
        values (5, 1, 30, 20, 0, 0, 30, 20, 0, 100, now(), now(), now(), 1, 1, 1, 1, 1, 0, 0, 0, 1);`);
      await migrate(old.url, migrations);
      await rollUpAll(sql);
      expect(await sql`select turns, input, peak from history`).toEqual([{ turns: 1, input: 30, peak: 0.5 }]);
    } finally {
      rmSync(first, { recursive: true, force: true });
      await old.close();
    }
  });

  it('a data folder that knows of archives keeps what their notices told, as transcripts that lie elsewhere', async () => {
    const old = await createTestDatabase();
    const { sql } = old;
    const first = firstFolder();
    try {
      await sql.unsafe('drop schema public cascade; drop schema drizzle cascade; create schema public');
      await migrate(old.url, first);
      const session = '0d9f2a1e-6b53-5a0c-9d6e-3c1f7a4be851';
      const cause = '0d9f2a1e-6b53-5a0c-9d6e-3c1f7a4be852';
      await sql.unsafe(`
        insert into projects (name) values ('shop');
        insert into runners (project_id, name) values (1, 'desk');
        insert into sessions (public_id, month, project_id, key, runner_id, fold, owner, started_at)
        values ('${session}', 1, 1, 's', 1, '{}', 1, now());
        insert into archives (session_id, cause, state, reason, trigger, at, path, bytes, lines, sha256) values
          (1, '${cause}', 'stored', null, 'auto', '2026-01-01Z', '/home/me/a.jsonl', 5, 1, 'ab'),
          (1, gen_random_uuid(), 'failed', 'the disk is full', null, '2026-01-02Z', null, null, null, null);`);
      await migrate(old.url, migrations);
      const rows = await sql`
        select session, session_key as key, state, reason, trigger, version, file_name as name, path, bytes, sha256
        from transcripts order by at`;
      const same = { session, key: 's', version: 'hook' };
      expect([...rows]).toEqual([
        {
          ...same,
          state: 'announced',
          reason: null,
          trigger: 'auto',
          name: 'a.jsonl',
          path: '/home/me/a.jsonl',
          bytes: 5,
          sha256: 'ab',
        },
        {
          ...same,
          state: 'failed',
          reason: 'the disk is full',
          trigger: null,
          name: null,
          path: null,
          bytes: null,
          sha256: null,
        },
      ]);
      expect(await sql`select cause from transcripts where state = 'announced'`).toEqual([{ cause }]);
    } finally {
      rmSync(first, { recursive: true, force: true });
      await old.close();
    }
  });

  it('a current database changes nothing', async () => {
    const count = () => database.sql`select count(*) as n from drizzle.__drizzle_migrations`;
    const before = await count();
    await migrate(database.url, migrations);
    expect(await count()).toEqual(before);
  });

  it('from several processes at once applies each step once, and none of them fails', async () => {
    await Promise.all(Array.from({ length: 4 }, () => migrate(database.url, folder)));
    expect(await database.sql`select count(*) as n from one_more`).toMatchObject([{ n: 1 }]);
  });

  it('that fails says what went wrong, without the statement', async () => {
    const path = join(folder, 'meta', '_journal.json');
    const journal = JSON.parse(readFileSync(path, 'utf8')) as { entries: { idx: number; when: number }[] };
    const last = journal.entries.at(-1);
    journal.entries.push({ ...last, when: (last?.when ?? 0) + 1, tag: 'broken' } as never);
    writeFileSync(path, JSON.stringify(journal));
    writeFileSync(join(folder, 'broken.sql'), 'create table one_more (n int);');
    await expect(migrate(database.url, folder)).rejects.toThrow(
      'The database could not be migrated: relation "one_more" already exists.',
    );
  });
});
