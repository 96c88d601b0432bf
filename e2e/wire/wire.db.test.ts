/** The real runner client against real server processes on a real database. */
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PATIENCE_MS } from '@/core/testing/patience';
import { type BarographClient, createClient, type RunnerSession } from '@/runner/src/index';
import { preparePlace } from './server-process';
import type { ServerProcess } from './start-server-process';
import { storedRows } from './stored-rows';

const place = preparePlace();
let clients: BarographClient[];

beforeEach(() => {
  clients = [];
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close(0)));
});

function connect(server: ServerProcess, name: string): BarographClient {
  const client = createClient({
    url: server.url,
    token: place.token,
    project: 'wire',
    runner: { name },
    queueFolder: path.join(place.folder, name),
    timing: { baseMs: 20, capMs: 200 },
  });
  clients.push(client);
  return client;
}

const START = Date.now() - 60_000;

/** The n-th step of a session: mostly turns, with compactions and restarts. */
function step(session: RunnerSession, n: number): void {
  const at = START + n * 10;
  if (n === 1) session.start({ at, lens: 'cumulative', limit: 200_000, model: 'm' });
  else if (n % 90 === 0) session.compaction({ at, trigger: 'auto', state: 'confirmed', preTokens: 150_000 });
  else if (n % 70 === 0) session.restart({ at, continuation: n / 70 });
  else
    session.turn({
      at,
      call: `${n}`,
      usage: { input: 100 + n, output: n, cacheRead: n * 1000 },
      contextTokens: 1000 + n,
    });
}

test('loses and duplicates nothing when the server is killed repeatedly', async () => {
  const orderly = connect(await place.serve(), 'orderly');
  const expected = orderly.session('orderly');
  for (let n = 1; n <= 1500; n += 1) step(expected, n);
  expect((await orderly.flush(PATIENCE_MS)).delivered).toBe(true);

  let server = await place.serve();
  const { port } = server;
  const client = connect(server, 'harried');
  const session = client.session('harried');
  let n = 0;
  for (let round = 0; round < 3; round += 1) {
    while (n < (round + 1) * 500) step(session, ++n);
    // The kill hits items in transit or in a transaction.
    await client.drain(0, 40);
    await server.kill();
    server = await place.serve(port);
  }
  expect((await client.flush(PATIENCE_MS)).delivered).toBe(true);
  expect(await storedRows(place.database.sql, 'harried')).toEqual(
    await storedRows(place.database.sql, 'orderly'),
  );
});

test('stores the rows of one orderly stream through two server processes', async () => {
  const [first, second] = await Promise.all([place.serve(), place.serve()]);
  const alone = connect(first, 'alone').session('one-process');
  const left = connect(first, 'left');
  const right = connect(second, 'right');
  const [viaLeft, viaRight] = [left.session('two-processes'), right.session('two-processes')];
  for (let n = 1; n <= 100; n += 1) {
    step(alone, n);
    // Both processes have an open stream of the session; each step waits for the previous one.
    const [client, session] = n % 3 === 0 ? [right, viaRight] : [left, viaLeft];
    step(session, n);
    if ((await client.flush(PATIENCE_MS)).delivered) continue;
    throw new Error(`Step ${n} was not delivered.`);
  }
  await Promise.all(clients.map((client) => client.flush(PATIENCE_MS)));
  const together = await storedRows(place.database.sql, 'two-processes');
  expect(together.turns).toHaveLength(97);
  expect(together).toEqual(await storedRows(place.database.sql, 'one-process'));
});

test('acknowledges stored items at shutdown, and continues in the next server', async () => {
  let server = await place.serve();
  const { port } = server;
  const client = connect(server, 'stopped');
  const session = client.session('stopped');
  for (let n = 1; n <= 500; n += 1) step(session, n);
  expect(await server.stop()).toBe(0);
  server = await place.serve(port);
  for (let n = 501; n <= 1000; n += 1) step(session, n);
  expect((await client.flush(PATIENCE_MS)).delivered).toBe(true);
  const { turns } = await storedRows(place.database.sql, 'stopped');
  expect(new Set(turns.map(({ number }) => number)).size).toBe(turns.length);
  expect(client.stats()).toMatchObject({ refused: 0, dropped: 0, queued: 0 });
});
