import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { createTestDatabase, type TestDatabase } from '../../db/testing/test-database';
import { openTestBrowser } from './testing/browser';

let database: TestDatabase;
const children: ChildProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await Promise.all(
    children.map(async (child) => {
      const ended = once(child, 'exit');
      child.send('stop');
      await ended;
    }),
  );
  await database.close();
});

async function startProcess(epoch: string): Promise<string> {
  const path = fileURLToPath(new URL('./testing/live-process.ts', import.meta.url));
  const child = fork(path, { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  children.push(child);
  child.send({ url: database.url, epoch });
  const [port] = await once(child, 'message');
  return `ws://127.0.0.1:${port}/v1/live`;
}

describe('two server processes on one database', () => {
  it('show their browsers the same state, whichever stored it', async () => {
    const urls = await Promise.all([startProcess('one'), startProcess('two')]);
    const browsers = urls.map(openTestBrowser);
    for (const browser of browsers) browser.connection.subscribe({ topic: 'fleet' });
    await Promise.all(browsers.map((browser) => browser.until(() => browser.fleet() !== null)));

    // Stored by a third process, this one: both get only the hint, because they do not sweep.
    const feed = await createTestFeed(database.sql);
    await feed.tell({ type: 'session_start', session: 'a', lens: 'snapshot', limit: 100 }, testTurn('a', 10));
    await Promise.all(browsers.map((browser) => browser.until(() => browser.session('a')?.used === 10)));
    await feed.tell(testTurn('a', 20), testTurn('a', 30));
    await Promise.all(browsers.map((browser) => browser.until(() => browser.session('a')?.used === 30)));

    expect(browsers.map((browser) => browser.fleet()?.epoch)).toEqual(['one', 'two']);
    const [first, second] = browsers.map((browser) => JSON.stringify(browser.session('a')));
    expect(first).toBe(second);
    for (const browser of browsers) browser.connection.stop();
  });
});
