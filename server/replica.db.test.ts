import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { afterAll, expect, it } from 'vitest';
import type { Delayed, History } from '../core/api/history';
import { serverUrlOf, setOwner } from '../db/access';
import { connect } from '../db/client';
import { rollUpAll } from '../db/history/history-testing';
import { loadHistory } from '../db/queries/history/load-history';
import { limitReads } from '../db/queries/limit-reads';
import { loadServerId } from '../db/queries/load-server-id';
import { createTestFeed, testTurn } from '../db/queries/testing-feed';
import { createToken } from '../db/queries/tokens';
import { startWithStandby } from '../db/testing/standby';
import { READ_ONLY } from '../db/transact';
import { createSecretBox } from './alerts/secret-box';
import { createReadApi } from './api/create-read-api';
import { createAuthenticator } from './auth/authenticator';
import { createHttpServer } from './http/create-http-server';
import { startReplica } from './replica';

const MAX_BEHIND_MS = 3_000;

const databases = await startWithStandby();
const primary = connect(serverUrlOf(databases.primaryUrl), 4);
const owner = connect(databases.primaryUrl, 2);
setOwner(primary, owner);
const options = {
  url: databases.standbyUrl,
  connections: 2,
  statementSeconds: 60,
  primary,
  log: pino({ level: 'silent' }),
  maxBehindMs: MAX_BEHIND_MS,
};
const serverId = await loadServerId(primary);
const replica = startReplica({ ...options, serverId });
const auth = createAuthenticator(primary);
const api = createHttpServer(options.log);
const origin = `http://127.0.0.1:${await api.listen(0, '127.0.0.1')}/api/v1`;
const settings = { idleAfterMinutes: 10, sendsCommands: false };
const secrets = createSecretBox(randomBytes(32));
const endpoint = createReadApi({ sql: primary, auth, settings, secrets, version: '1.2.3', replica });
api.serve([{ prefix: '/api/v1', endpoint }]);
const token = await createToken(owner, { name: 'reader', scopes: ['read'], projects: ['a'] });
afterAll(async () => {
  api.stopTaking();
  await api.close(1_000);
  auth.close();
  await replica.close();
  await Promise.all([primary, owner].map((client) => client.end({ timeout: 1 })));
  await databases.stop();
});

const turnsOn = (sql: typeof primary) => loadHistory(sql, {}, Date.now()).then(({ total }) => total.turns);
/** The history of project `a`, as its token reads it. */
const history = async (path = '') => {
  const response = await fetch(`${origin}/history${path}`, { headers: { authorization: `Bearer ${token}` } });
  return (await response.json()) as Delayed<History>;
};

it('reads history from a streaming replica, limited to the projects of the viewer', async () => {
  for (const project of ['a', 'b']) {
    const feed = await createTestFeed(primary, { project });
    await feed.tell({ type: 'session_start', session: 's' }, testTurn('s', 1_000), testTurn('s', 2_000));
  }
  await rollUpAll(primary);
  await expect.poll(async () => (await replica.read(turnsOn))?.value).toBe(4);
  expect(await replica.read((sql) => turnsOn(limitReads(sql, ['a'], READ_ONLY)))).toMatchObject({ value: 2 });
  expect(
    await replica.read(async (sql) => (await sql`select pg_is_in_recovery() as yes`)[0]?.yes),
  ).toMatchObject({
    value: true,
  });
});

it('answers the routes of history with the delay', async () => {
  expect(await history()).toMatchObject({ behindMs: expect.any(Number), total: { turns: 2 } });
  expect(await history('/sessions')).toMatchObject({ behindMs: expect.any(Number) });
});

it('passes the errors of a read on', async () => {
  await expect(replica.read((sql) => sql`select * from nowhere`)).rejects.toThrow(/nowhere/);
});

it('measures its delay while the replica replays nothing, and is not used beyond the bound', async () => {
  await expect.poll(replica.behindMs).toBe(0);
  await databases.pause();
  await (await createTestFeed(primary, { project: 'a' })).tell(testTurn('s', 3_000));
  await expect.poll(replica.behindMs).toBeGreaterThanOrEqual(1_000);
  await expect.poll(replica.behindMs).toBeNull();
  expect(await replica.read(turnsOn)).toBeNull();
  await databases.resume();
  await expect.poll(replica.behindMs).toBe(0);
});

it('is not used if it is no replica, or one of another database', async () => {
  for (const other of [{ url: serverUrlOf(databases.primaryUrl) }, { serverId: 'another' }]) {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const wrong = startReplica({ ...options, serverId, log, ...other });
    await expect.poll(() => lines.join()).toContain('it is no replica of this database');
    expect(await wrong.read(turnsOn)).toBeNull();
    await wrong.close();
  }
});

it('is not used while it is away', async () => {
  expect(replica.behindMs()).not.toBeNull();
  await databases.stopStandby();
  expect(await replica.read(turnsOn)).toBeNull();
  await expect.poll(replica.behindMs).toBeNull();
  expect(await history()).toMatchObject({ behindMs: null, total: { turns: 2 } });
});
