import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import pino from 'pino';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { sessionId } from '../../core/identity/session-id';
import { applyEventsFrame, beginEventStream } from '../../core/live/event-stream';
import type { LiveFrame, LiveTopic } from '../../core/live/protocol';
import { findFreePort } from '../../core/testing/free-port';
import { settleFailed } from '../../db/alerts/deliveries';
import { makeChannel, makeRule } from '../../db/alerts/testing/make-rules';
import { deleteSession } from '../../db/delete-session';
import { acknowledgeAlert } from '../../db/queries/alerts/list-alerts';
import { addNote } from '../../db/queries/notes';
import { createTestFeed, type TestFeed, testTurn } from '../../db/queries/testing-feed';
import { createToken, revokeToken, verifyToken } from '../../db/queries/tokens';
import { createTestDatabase } from '../../db/testing/test-database';
import { createAuthenticator } from '../auth/authenticator';
import { createBudgets } from '../http/budgets';
import { readSettings } from '../settings';
import { createLiveEndpoint } from './create-live-endpoint';
import type { LiveOptions } from './live-hub';
import { openTestBrowser } from './testing/browser';

const database = await createTestDatabase({ maxConnections: 8 });
afterAll(() => database.close());
let feed: TestFeed;
const cleanups: (() => Promise<void> | void)[] = [];

/** A server with its own connections, as a separate process has. */
async function startServer(options: Partial<LiveOptions> = {}, port?: number, epoch = 'run-1') {
  const auth = createAuthenticator(database.sql);
  const endpoint = await createLiveEndpoint(
    {
      sql: database.sql,
      epoch,
      auth,
      settings: { idleAfterMinutes: 10 },
      log: pino({ level: 'silent' }),
      budgets: createBudgets(readSettings('/nowhere').limits),
    },
    { tickMs: 20, sweepMs: 100_000, ...options },
  );
  const server = createServer((req, res) => void endpoint.handleRequest(req, res, new URL('http://x/')));
  server.on('upgrade', (req, socket: Socket, head) => {
    endpoint.handleUpgrade?.(req, socket, head, new URL(req.url ?? '/', 'http://127.0.0.1'));
  });
  const taken = port ?? (await findFreePort());
  await new Promise<void>((resolve) => server.listen(taken, '127.0.0.1', resolve));
  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    auth.close();
    await endpoint.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  cleanups.push(stop);
  const address = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${address.port}/v1/live`, stop };
}

function openBrowser(url: string) {
  const browser = openTestBrowser(url);
  cleanups.push(() => browser.connection.stop());
  return browser;
}

/** A page of a new server that follows a topic. */
async function follow(topic: LiveTopic) {
  const browser = openBrowser((await startServer()).url);
  browser.connection.subscribe(topic);
  return browser;
}

beforeEach(async () => {
  feed = await createTestFeed(database.sql);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Rounds of changes, about 400 kB each, that a reader does not read. */
const ROUNDS = 24;
const start = { type: 'session_start', lens: 'snapshot', limit: 200_000 } as const;

describe('events of all sessions over a real socket', () => {
  it('begin with the newest events, follow each commit, and are removed with their session', async () => {
    await feed.tell({ ...start, session: 'noted-1', title: 'Named' }, testTurn('noted-1', 50_000));
    const browser = openBrowser((await startServer()).url);
    let stream = beginEventStream({ events: [], nextCursor: null });
    let applied = 0;
    const events = () => {
      for (; applied < browser.frames.length; applied += 1) {
        const frame = browser.frames[applied];
        if (frame?.type !== 'events_snapshot' && frame?.type !== 'events_delta') continue;
        stream = applyEventsFrame(stream, frame, () => true);
      }
      return stream.events;
    };
    browser.connection.subscribe({ topic: 'events' });
    await browser.until(() => events().some(({ kind }) => kind === 'session_started'));
    expect(browser.frames[0]).toMatchObject({ type: 'events_snapshot', n: 1 });
    await feed.tell(testTurn('noted-1', 190_000));
    await browser.until(() => events().some(({ kind }) => kind === 'approaching_redline'));
    await feed.tell({ ...start, session: 'noted-2' });
    await browser.until(() => events().some(({ sessionKey }) => sessionKey === 'noted-2'));
    expect(events().find(({ sessionKey }) => sessionKey === 'noted-1')).toMatchObject({
      sessionTitle: 'Named',
      project: 'atlas',
    });
    await deleteSession(database.sql, sessionId('atlas', 'noted-1'));
    await browser.until(() => !events().some(({ sessionKey }) => sessionKey === 'noted-1'));
    expect(events().some(({ sessionKey }) => sessionKey === 'noted-2')).toBe(true);
  });
});

it('alerts over a real socket follow each change of an alert, and the number of dead letters', async () => {
  await makeRule(database.sql, { kind: 'over_limit' }, { name: 'Over' });
  const browser = await follow({ topic: 'alerts' });
  const last = () => browser.frames.filter((frame) => frame.type === 'alerts').at(-1);
  await browser.until(() => last()?.alerts.length === 0);
  await feed.tell({ ...start, session: 'alerting' }, testTurn('alerting', 210_000));
  await browser.until(() => last()?.total === 1);
  expect(last()?.alerts).toMatchObject([
    { rule: { name: 'Over' }, phase: 'firing', acknowledgedAt: null, session: { key: 'alerting' } },
  ]);
  await acknowledgeAlert(database.sql, last()?.alerts[0]?.id ?? '', 'ada');
  await browser.until(() => last()?.alerts[0]?.acknowledgedBy === 'ada');
  await feed.tell(testTurn('alerting', 20_000));
  await browser.until(() => last()?.total === 0);
  const channel = await makeChannel(database.sql, 'slack', {}, { url: 'https://slack.example/secret' });
  const [delivery] = await database.sql<{ id: string }[]>`
    insert into alert_deliveries (channel_id) values (${channel}) returning id`;
  expect(last()?.deadLetters).toBe(0);
  await settleFailed(database.sql, delivery?.id ?? '', 'refused', null);
  await browser.until(() => last()?.deadLetters === 1);
  expect(JSON.stringify(browser.frames)).not.toContain('slack.example');
});

describe('fleet over a real socket', () => {
  it('begins with a snapshot and follows every commit', async () => {
    await feed.tell({ ...start, session: 'a' }, testTurn('a', 50_000));
    const browser = await follow({ topic: 'fleet' });
    await browser.until(() => browser.session('a')?.used === 50_000);
    expect(browser.frames[0]).toMatchObject({ type: 'fleet_snapshot', n: 1, epoch: 'run-1' });
    await feed.tell(testTurn('a', 60_000));
    await browser.until(() => browser.session('a')?.used === 60_000);
    await feed.tell({ ...start, session: 'b' });
    await browser.until(() => browser.session('b') !== undefined);
    await deleteSession(database.sql, sessionId('atlas', 'b'));
    await browser.until(() => browser.session('b') === undefined);
  });

  it('reconnects after a server restart, with all changes made in between', async () => {
    await feed.tell({ ...start, session: 'back' }, testTurn('back', 10_000));
    const first = await startServer();
    const browser = openBrowser(first.url);
    browser.connection.subscribe({ topic: 'fleet' });
    await browser.until(() => browser.session('back')?.used === 10_000);
    await first.stop();
    await browser.until(() => browser.connection.status.status === 'reconnecting');
    // The previous data stays.
    expect(browser.session('back')?.used).toBe(10_000);
    await feed.tell(testTurn('back', 20_000), { ...start, session: 'newcomer' });
    await startServer({}, Number(new URL(first.url).port), 'run-2');
    await browser.until(() => browser.session('back')?.used === 20_000);
    expect(browser.session('newcomer')).toBeDefined();
    expect(browser.connection.status.status).toBe('live');
    expect(browser.fleet()?.epoch).toBe('run-2');
  });

  it('sends a fresh snapshot to a slow reader, and queues nothing for it', async () => {
    // Rows large enough that a few rounds of changes fill the kernel's buffers.
    const long = 'x'.repeat(990);
    const describe = (round: number) =>
      Array.from({ length: 100 }, (_, i) => {
        const session = `slow${i}`;
        return { ...start, session, title: `${round}`, host: long, folder: long, branch: long } as const;
      });
    await feed.tell(...describe(0));
    const server = await startServer({ maxBufferedBytes: 10_000 });
    const socket = new WebSocket(server.url, { origin: new URL(server.url.replace('ws', 'http')).origin });
    cleanups.push(() => socket.terminate());
    const frames: LiveFrame[] = [];
    socket.on('message', (data) => frames.push(JSON.parse(data.toString())));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify({ type: 'subscribe', topic: 'fleet' }));
    await expect.poll(() => frames.length).toBe(1);
    socket.pause();
    // A second reader shows when the server has served a change.
    const witness = openBrowser(server.url);
    witness.connection.subscribe({ topic: 'fleet' });
    await witness.until(() => witness.session('slow99') !== undefined);
    for (let round = 1; round <= ROUNDS; round += 1) {
      await feed.tell(...describe(round));
      await witness.until(() => witness.session('slow99')?.title === `${round}`);
    }
    expect(frames).toHaveLength(1);
    socket.resume();
    const roundIn = (frame: LiveFrame | undefined) =>
      frame?.type === 'fleet_snapshot'
        ? frame.sessions.find((row) => row.key === 'slow99')?.title
        : undefined;
    await expect.poll(() => roundIn(frames.at(-1))).toBe(`${ROUNDS}`);
    expect(frames.filter((frame) => frame.type === 'fleet_delta').length).toBeLessThan(ROUNDS);
    expect(frames.map((frame) => frame.n)).toEqual(frames.map((_, index) => index + 1));
  });

  it('receives commits of another server process, and finds lost hints', async () => {
    await feed.tell({ ...start, session: 'shared' }, testTurn('shared', 5));
    const [one, two] = [
      await startServer({}, undefined, 'one'),
      await startServer({ sweepMs: 200 }, undefined, 'two'),
    ];
    const browsers = [openBrowser(one.url), openBrowser(two.url)];
    for (const browser of browsers) browser.connection.subscribe({ topic: 'fleet' });
    await Promise.all(browsers.map((browser) => browser.until(() => browser.session('shared')?.used === 5)));
    await feed.tell(testTurn('shared', 6));
    await Promise.all(browsers.map((browser) => browser.until(() => browser.session('shared')?.used === 6)));
    // Simulate a lost hint: the version changes without a notification.
    await database.sql`
      update sessions set title = 'silent', version = version + 1, changed_at = clock_timestamp()
      where public_id = ${sessionId('atlas', 'shared')}`;
    await browsers[1]?.until(() => browsers[1]?.session('shared')?.title === 'silent');
  });

  it('finds changes made while its LISTEN connection was broken, and receives later changes', async () => {
    await feed.tell({ ...start, session: 'cut' }, testTurn('cut', 5));
    const browser = await follow({ topic: 'fleet' });
    browser.connection.subscribe({ topic: 'turns' });
    await browser.until(() => browser.session('cut')?.used === 5);
    await database.sql`
      update sessions set title = 'silent', version = version + 1, changed_at = clock_timestamp(), last_turn_at = '2100-06-01'
      where public_id = ${sessionId('atlas', 'cut')}`;
    const ended = await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen %'`;
    expect(ended).toHaveLength(1);
    await browser.until(() => browser.session('cut')?.title === 'silent');
    await browser.until(() =>
      browser.frames.some((frame) => frame.type === 'newest_turn' && frame.at?.startsWith('2100')),
    );
    await feed.tell(testTurn('cut', 6));
    await browser.until(() => browser.session('cut')?.used === 6);
  });

  it('marks a session as idle when time passes', async () => {
    await feed.tell({ ...start, session: 'sleepy' }, testTurn('sleepy', 5));
    let ahead = 0;
    const server = await startServer({ sweepMs: 50, now: () => Date.now() + ahead });
    const browser = openBrowser(server.url);
    browser.connection.subscribe({ topic: 'fleet' });
    await browser.until(() => browser.session('sleepy')?.liveness === 'live');
    ahead = 10 * 60_000;
    await browser.until(() => browser.session('sleepy')?.liveness === 'idle');
  });
});

describe('one session over a real socket', () => {
  const id = sessionId('atlas', 'watched');
  const deltas = (frames: LiveFrame[]) =>
    frames.flatMap((frame) => (frame.type === 'session_delta' ? [frame] : []));

  it('sends new turns as points and new events, and requests a refetch after a late turn', async () => {
    await feed.tell(
      { ...start, session: 'watched', at: Date.now() - 60_000 },
      testTurn('watched', 100_000, { seq: 10 }),
    );
    const browser = await follow({ topic: 'session', id });
    await browser.until(() => browser.frames.some((frame) => frame.type === 'session_snapshot'));
    await feed.tell(
      testTurn('watched', 160_000, { seq: 20, call: 'growing', usage: { input: 1, output: 1 } }),
    );
    await browser.until(() => deltas(browser.frames).at(-1)?.session.used === 160_000);
    const delta = deltas(browser.frames).at(-1);
    expect(delta?.points?.at(-1)).toMatchObject({ n: 2, used: 160_000, turns: 1 });
    expect(delta?.events?.map((event) => event.kind)).toContain('state_changed');

    await feed.tell(
      testTurn('watched', 160_500, { seq: 21, call: 'growing', usage: { input: 1, output: 501 } }),
    );
    await browser.until(() => deltas(browser.frames).at(-1)?.session.used === 160_500);
    expect(deltas(browser.frames).at(-1)?.points).toMatchObject([{ n: 2, used: 160_500, output: 501 }]);

    // Seq 5 of the same stream arrives late and belongs before the sent points.
    await feed.tell(testTurn('watched', 90_000, { seq: 5 }));
    await browser.until(() => deltas(browser.frames).at(-1)?.session.turnCount === 3);
    expect(deltas(browser.frames).at(-1)?.points).toBeNull();
  });

  it('sends a note within a tick, without causing a refetch of points or events', async () => {
    await feed.tell({ ...start, session: 'noted' }, testTurn('noted', 5_000));
    const noted = sessionId('atlas', 'noted');
    const browser = await follow({ topic: 'session', id: noted });
    await browser.until(() => browser.frames.some((frame) => frame.type === 'session_snapshot'));
    const now = Date.now();
    await addNote(database.sql, noted, { at: new Date(now).toISOString(), text: 'look' }, now);
    await browser.until(() => deltas(browser.frames).length > 0);
    const { session, points, events } = deltas(browser.frames)[0] ?? {};
    expect(session?.notesVersion).toBe(session?.version);
    expect([points, events]).toEqual([[], []]);
  });

  it('reports an unknown session, and shows it once it exists', async () => {
    const unborn = sessionId('atlas', 'unborn');
    const browser = await follow({ topic: 'session', id: unborn });
    await browser.until(() => browser.frames.some((frame) => frame.type === 'not_found'));
    await feed.tell({ ...start, session: 'unborn' });
    await browser.until(() => browser.frames.some((frame) => frame.type === 'session_snapshot'));
  });
});

describe('access to the live feed', () => {
  const refused = (url: string, headers: Record<string, string> = {}) =>
    new Promise<number | undefined>((resolve, reject) => {
      const socket = new WebSocket(url, { headers });
      socket.on('unexpected-response', (_, response) => {
        resolve(response.statusCode);
        socket.terminate();
      });
      socket.on('open', () => reject(new Error('was let in')));
      socket.on('error', () => undefined);
    });

  it('is granted to pages of this server, and to programs with a read token', async () => {
    const { url } = await startServer();
    const token = await createToken(database.sql, { name: 'wall', scopes: ['read'] });
    const wrong = await createToken(database.sql, { name: 'runner', scopes: ['ingest'] });
    expect(await refused(url)).toBe(401);
    expect(await refused(url, { authorization: `Bearer ${wrong}` })).toBe(403);
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
    cleanups.push(() => socket.terminate());
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    socket.send('hello');
    expect(await closed).toBe(4400);
  });

  it('ends after the token was revoked', async () => {
    const { url } = await startServer();
    const token = await createToken(database.sql, { name: 'lost', scopes: ['read'] });
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
    cleanups.push(() => socket.terminate());
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('open', resolve));
    const grant = await verifyToken(database.sql, token);
    if (grant) await revokeToken(database.sql, grant, 'test');
    expect(await closed).toBe(4401);
  });
});
