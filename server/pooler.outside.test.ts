/** A server on PgBouncer in transaction mode, with fewer connections than the server has. */

import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../core/testing/free-port';
import { connect } from '../db/client';
import { findPooler } from '../db/find-pooler';
import { migrate } from '../db/migrate';
import { listFilterChoices } from '../db/queries/list-filter-choices';
import { listSessions } from '../db/queries/list-sessions';
import { createTestFeed, testTurn } from '../db/queries/testing-feed';
import { pgbouncer, startPooler } from '../db/testing/pooler';
import { createTestDatabase, openTestDatabase } from '../db/testing/test-database';
import { transact } from '../db/transact';
import { startIngestServer } from './ingest/testing/start-ingest-server';
import { openTestBrowser } from './live/testing/browser';

const database = await openTestDatabase();
const migrations = fileURLToPath(new URL('../db/migrations', import.meta.url));
const clock = { nowMs: Date.now(), idleAfterMs: 600_000 };

it.skipIf(pgbouncer === null)(
  'a server on PgBouncer stores turns, reads lists and follows changes',
  async () => {
    const pooler = await startPooler(database.url, 3);
    onTestFinished(pooler.stop);
    const sql = connect(pooler.url, 8, { directUrl: database.url });
    onTestFinished(() => sql.end({ timeout: 5 }));
    const server = await startIngestServer(pooler.url, 0, '', true, 5_000, database.url);
    onTestFinished(server.close);
    const browser = openTestBrowser(`${server.url.replace('http', 'ws')}/v1/live`);
    onTestFinished(browser.connection.stop);
    browser.connection.subscribe({ topic: 'fleet' });
    await browser.until(() => browser.fleet() !== null);

    const keys = ['a', 'b', 'c', 'd'];
    const write = async () => {
      const feed = await createTestFeed(sql);
      const start = { type: 'session_start', lens: 'snapshot', limit: 200_000 } as const;
      await feed.tell(...keys.map((session) => ({ ...start, session })));
      for (let turn = 1; turn <= 10; turn += 1) await feed.tell(...keys.map((key) => testTurn(key, turn)));
    };
    // A statement without parameters would be sent together with the next one.
    const read = () =>
      Promise.all([
        sql`select 1`,
        listSessions(sql, {}, clock),
        sql.unsafe('select 2'),
        listFilterChoices(sql),
        sql`select ${'x'}::text::int`.catch((error) => error.code),
      ]);
    await Promise.all([write(), ...Array.from({ length: 20 }, read)]);
    expect((await read()).at(-1)).toBe('22P02');
    const [row] = await database.sql`select count(*)::int as turns from turns`;
    expect(row).toEqual({ turns: 40 });
    await browser.until(() => keys.every((key) => browser.session(key)?.used === 10));
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);

    expect(await findPooler(database.url)).toBe(false);
    const wrong = connect(pooler.url, 1, { directUrl: `postgres://x@127.0.0.1:${await findFreePort()}/x` });
    expect(await wrong`select 1 as up`).toMatchObject([{ up: 1 }]);
    await expect(wrong.listen('barograph_sessions', () => undefined)).rejects.toThrow('ECONNREFUSED');
    await wrong.end({ timeout: 1 });
  },
);

it.skipIf(pgbouncer === null)(
  'a server that finds PgBouncer itself stores what it acknowledges',
  async () => {
    const pooler = await startPooler(database.url, 3);
    onTestFinished(pooler.stop);
    expect(await findPooler(pooler.url)).toBe(true);
    // Several processes share the connections, so each finds statements that others named.
    const clients = Array.from({ length: 5 }, () => connect(pooler.url, 4));
    onTestFinished(async () => void (await Promise.all(clients.map((sql) => sql.end({ timeout: 5 })))));
    const name = (client: number, each: number) => `pooled ${client} ${each}`;
    const stored = await Promise.all(
      clients.flatMap((sql, client) =>
        Array.from({ length: 22 }, (_, each) =>
          transact(sql, (tx) => tx`insert into projects (name) values (${name(client, each)})`).then(() =>
            name(client, each),
          ),
        ),
      ),
    );
    const rows = await database.sql<{ name: string }[]>`select name from projects where name like 'pooled %'`;
    expect(rows.map((row) => row.name).sort()).toEqual(stored.sort());
    expect(stored).toHaveLength(110);
  },
);

it.skipIf(pgbouncer === null)('servers migrate a database through PgBouncer, one at a time', async () => {
  const empty = await createTestDatabase();
  await empty.sql.unsafe('drop schema public cascade; create schema public; drop schema drizzle cascade');
  const pooler = await startPooler(empty.url, 3);
  onTestFinished(async () => {
    await pooler.stop();
    await empty.close();
  });
  expect(await findPooler(pooler.url)).toBe(true);
  await Promise.all(Array.from({ length: 4 }, () => migrate(pooler.url, migrations)));
  expect(await empty.sql`select 1 from turns`).toEqual([]);
});
