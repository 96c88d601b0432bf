/** Each limit per token and per address: the refusal names it, and a caller with another token and address goes on. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createToken } from '../../db/queries/tokens';
import { createTestDatabase } from '../../db/testing/test-database';
import { transact } from '../../db/transact';
import { offerOf } from '../../db/transcripts/transcripts-testing';
import { createBudgets, type Limits } from '../http/budgets';
import { readSettings } from '../settings';
import { startIngestServer } from './testing/start-ingest-server';

const database = await createTestDatabase();
afterAll(() => database.close());
const scopes = ['ingest', 'archive', 'read'] as const;
const tokens: Record<string, string> = {};
for (const name of ['a', 'b', 'c']) tokens[name] = await createToken(database.sql, { name, scopes });
const LOCAL: Record<string, string> = { a: '127.0.0.1', b: '127.0.0.2', c: '127.0.0.3' };

type Server = Awaited<ReturnType<typeof startIngestServer>>;
let server: Server | undefined;
const start = async (limits: Partial<Record<keyof Limits, number>>): Promise<Server> => {
  for (const [name, value] of Object.entries(limits)) vi.stubEnv(`BAROGRAPH_LIMIT_${name}`, `${value}`);
  // Budgets never refill here, however slow the machine is.
  server = await startIngestServer(database.url, 0, '', true, undefined, null, { budgetClock: () => 0 });
  return server;
};
afterEach(() => server?.close());

interface Answer {
  status: number;
  retryAfter: number;
  text: string;
}
/** Posts with a token from a loopback address. */
async function post(path: string, body: object, token = 'a', from = 'a'): Promise<Answer> {
  const sent = request(`${server?.url}${path}`, {
    method: 'POST',
    localAddress: LOCAL[from],
    headers: { authorization: `Bearer ${tokens[token]}`, 'content-type': 'application/json' },
  }).end(JSON.stringify(body));
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const part of response) text += part;
  return { status: response.statusCode, retryAfter: Number(response.headers['retry-after']), text };
}

const usage = { input: 1, output: 1, cacheRead: 0, cacheCreation: 0 };
const batch = (items: object[] = [{}], hello: object = {}) => [
  { type: 'hello', v: 1, project: 'p', runner: { name: 'r' }, stream: randomUUID(), ...hello },
  ...items.map((item, index) => ({
    type: 'turn',
    seq: index + 1,
    session: 's',
    at: Date.now(),
    usage,
    ...item,
  })),
];
const offer = () => offerOf(Buffer.from(randomUUID()), { project: 'p' });

const CASES: [limit: keyof Limits, most: number, path: string, body: () => object][] = [
  ['BYTES', 300, '/v1/ingest', () => batch([{}, {}, {}, {}])],
  ['ITEMS', 3, '/v1/ingest', () => batch([{}, {}, {}, {}])],
  ['SESSIONS', 2, '/v1/ingest', () => batch([1, 2, 3].map(() => ({ session: randomUUID() })))],
  ['SUB_AGENTS', 2, '/v1/ingest', () => batch([1, 2, 3].map(() => ({ chain: randomUUID() })))],
  ['STREAMS', 2, '/v1/ingest', () => batch()],
  ['PROJECTS', 2, '/v1/ingest', () => batch([{}], { project: randomUUID() })],
  ['OFFERS', 1, '/v1/archives', offer],
  // Any offer takes longer than the refill of a minute.
  ['ARCHIVE_MS', 1, '/v1/archives', offer],
];

describe('limits per minute', () => {
  it.each(CASES)('refuse %s beyond %i', async (limit, most, path, body) => {
    await start({ [limit]: most });
    expect((await post(path, body())).status).toBe(200);
    let refused = await post(path, body());
    if (refused.status === 200) refused = await post(path, body());
    expect([refused.status, refused.text]).toEqual([
      429,
      expect.stringContaining(`BAROGRAPH_LIMIT_${limit}`),
    ]);
    expect(refused.text).toContain('rate_limited');
    expect(refused.retryAfter).toBeGreaterThan(0);
    // Also by the same token from another address, and by another token from this address.
    expect((await post(path, body(), 'a', 'b')).status).toBe(429);
    expect((await post(path, body(), 'b', 'a')).status).toBe(429);
    expect((await post(path, body(), 'c', 'c')).status).toBe(200);
  });

  it('refuse late items that make the server count many turns again', async () => {
    await start({ LATE_TURNS: 100 });
    const stream = randomUUID();
    const turns = (seqs: number[]) =>
      batch(
        seqs.map((seq) => ({ seq, at: 1e12 + seq, session: 'late' })),
        { stream },
      );
    expect(
      (await post('/v1/ingest', turns(Array.from({ length: 200 }, (_, index) => index + 2)))).status,
    ).toBe(200);
    expect((await post('/v1/ingest', turns([1]))).status).toBe(200);
    const refused = await post('/v1/ingest', turns([300]));
    expect([refused.status, refused.text]).toEqual([
      429,
      expect.stringContaining('BAROGRAPH_LIMIT_LATE_TURNS'),
    ]);
  });

  it('close the socket of a runner with the limit', async () => {
    const { url } = await start({ ITEMS: 2 });
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/ingest`, {
      headers: { authorization: `Bearer ${tokens.a}` },
    });
    await once(socket, 'open');
    const [hello, ...items] = batch([{}, {}, {}]);
    socket.send(JSON.stringify([hello, ...items]));
    socket.send(JSON.stringify(items));
    const [code, reason] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([4429, expect.stringContaining('The token "a" may cost 2 items')]);
  });

  it('refill', () => {
    let now = 0;
    const limits = { ...readSettings('/nowhere').limits, ITEMS: 60 };
    const { open } = createBudgets(limits, () => now);
    const account = open({ headers: {} } as never, 'a');
    account.charge('ITEMS', 90);
    expect(account.exceeded()?.retryAfterSeconds).toBe(31);
    now = 29_000;
    expect(account.exceeded()).not.toBeNull();
    now = 31_000;
    expect(account.exceeded()).toBeNull();
  });
});

describe('limits at a time', () => {
  it('refuse connections of one address', async () => {
    const { port } = await start({ CONNECTIONS: 3 });
    const open = (from: string) => connect({ port, host: '127.0.0.1', localAddress: LOCAL[from] });
    const held = [open('a'), open('a'), open('a')];
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    const [answer] = await once(open('a'), 'data');
    expect(String(answer)).toMatch(/ 429 [\s\S]*BAROGRAPH_LIMIT_CONNECTIONS/);
    expect((await post('/v1/ingest', batch(), 'c', 'c')).status).toBe(200);
    for (const socket of held) socket.destroy();
    await expect.poll(async () => (await post('/v1/ingest', batch()).catch(() => null))?.status).toBe(200);
  });

  it('refuse live feeds, and sockets of runners', async () => {
    const { url } = await start({ LIVE_SOCKETS: 1, RUNNER_SOCKETS: 1 });
    const open = (path: string, who: string) =>
      new WebSocket(url.replace('http', 'ws') + path, {
        localAddress: LOCAL[who],
        headers: { authorization: `Bearer ${tokens[who]}` },
      });
    const first = open('/v1/live', 'a');
    await once(first, 'open');
    const [, response] = await once(
      open('/v1/live', 'a').on('error', () => undefined),
      'unexpected-response',
    );
    expect(response.statusCode).toBe(429);
    await once(open('/v1/live', 'b'), 'open');
    first.terminate();
    const isAdmitted = () =>
      new Promise<boolean>((resolve) => {
        open('/v1/live', 'a')
          .on('error', () => resolve(false))
          .on('open', () => resolve(true));
      });
    await expect.poll(isAdmitted).toBe(true);

    const greet = async (who: string) => {
      const socket = open('/v1/ingest', who);
      await once(socket, 'open');
      socket.send(JSON.stringify(batch([])));
      const [message] = await once(socket, 'message');
      return JSON.parse(String(message)) as { type: string; reason: string };
    };
    expect((await greet('a')).type).toBe('welcome');
    expect((await greet('a')).reason).toContain('BAROGRAPH_LIMIT_RUNNER_SOCKETS');
    expect((await greet('b')).type).toBe('welcome');
  });

  it('let the reads of a token wait for each other, and not those of another, nor ingest', async () => {
    const { url } = await start({ READS: 1 });
    const read = async (who: string) => {
      const headers = { authorization: `Bearer ${tokens[who]}` };
      return (await fetch(`${url}/api/v1/${who === 'a' ? 'audit' : 'sessions'}`, { headers })).status;
    };
    let stuck: Promise<number[]> | undefined;
    await transact(database.sql, async (tx) => {
      await tx`lock table audit_log in access exclusive mode`;
      // More than the server has connections.
      stuck = Promise.all(Array.from({ length: 10 }, () => read('a')));
      const waiting = () => tx`select 1 from pg_locks where not granted and relation = 'audit_log'::regclass`;
      await expect.poll(async () => (await waiting()).length).toBe(1);
      expect((await post('/v1/ingest', batch(), 'b', 'b')).status).toBe(200);
      expect(await read('b')).toBe(200);
      expect(await waiting()).toHaveLength(1);
    });
    expect(new Set(await stuck)).toEqual(new Set([200]));
  });

  it('end a live feed with too many requests, and leave ingest from its address alone', async () => {
    const { url } = await start({ LIVE_REQUESTS: 5 });
    const headers = { authorization: `Bearer ${tokens.a}` };
    const open = () => new WebSocket(`${url.replace('http', 'ws')}/v1/live`, { headers });
    const socket = open();
    await once(socket, 'open');
    for (let at = 0; at < 10; at += 1) socket.send(JSON.stringify({ type: 'ping', at }));
    const [code, reason] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([4429, 'BAROGRAPH_LIMIT_LIVE_REQUESTS']);
    const [, { statusCode }] = await once(
      open().on('error', () => undefined),
      'unexpected-response',
    );
    expect(statusCode).toBe(429);
    expect((await post('/v1/ingest', batch())).status).toBe(200);
  });

  it('refuse offers of archives while too many are unfinished', async () => {
    await start({ OPEN_OFFERS: 1 });
    const offered = (project: string) => post('/v1/archives', { ...offer(), project }, 'a');
    expect((await offered('open')).status).toBe(200);
    const refused = await offered('open');
    expect([refused.status, refused.text]).toEqual([
      429,
      expect.stringContaining('BAROGRAPH_LIMIT_OPEN_OFFERS'),
    ]);
    expect((await offered('other')).status).toBe(200);
  });
});

it('ends a statement that takes too long, and names the limit', async () => {
  const { connect: open } = await import('../../db/client');
  const { describeOutage } = await import('../http/answers');
  const sql = open(database.url, 1, { statementSeconds: 0.05 });
  const error = await sql`select pg_sleep(5)`.catch((reason: unknown) => reason);
  expect(describeOutage(error)?.reason).toContain('BAROGRAPH_STATEMENT_SECONDS');
  await sql.end();
});
