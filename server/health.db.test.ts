/** Health, readiness and metrics under each fault of the database. */
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { afterAll, afterEach, expect, it } from 'vitest';
import { createToken } from '../db/queries/tokens';
import { openDatabaseProxy } from '../db/testing/database-proxy';
import { createTestDatabase } from '../db/testing/test-database';
import { startIngestServer } from './ingest/testing/start-ingest-server';

const database = await createTestDatabase();
const token = await createToken(database.sql, { name: 'planted-token-name', scopes: ['ingest'] });
const proxy = await openDatabaseProxy(database.url);
const server = await startIngestServer(proxy.url, 0, '', false, undefined, null, { probeTicks: 20 });
afterAll(async () => {
  proxy.thaw();
  await server.close();
  await proxy.cut();
  await database.close();
});

async function states(): Promise<Record<string, string>> {
  const paths = ['/livez', '/healthz', '/readyz'];
  const answers = await Promise.all(
    paths.map(async (path) => {
      const answer = await fetch(`${server.url}${path}`);
      const { status } = (await answer.json()) as { status: string };
      return [path, `${answer.status} ${status}`];
    }),
  );
  return Object.fromEntries(answers);
}

/** Value of a metric, without its labels; the sum of its series. */
async function metric(name: string, labels = ''): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}${labels}`));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)?.replace('Nan', 'NaN')), 0);
}

let seq = 0;
async function post(): Promise<number> {
  seq += 1;
  const hello = {
    type: 'hello',
    v: 1,
    project: 'planted-project',
    runner: { name: 'planted-runner' },
    stream: '00000000-0000-4000-8000-000000000001',
    now: Date.now(),
  };
  const session = 'planted-key';
  const start = { type: 'session_start', seq: seq * 2, session, at: Date.now(), title: 'planted-title' };
  const turn = { type: 'turn', seq: seq * 2 + 1, session, at: Date.now(), usage: { input: 1 } };
  const answer = await fetch(`${server.url}/v1/ingest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify([hello, start, turn]),
  });
  return answer.status;
}

const ALL_OK = { '/livez': '200 ok', '/healthz': '200 ok', '/readyz': '200 ok' };
const NO_DATABASE = { '/livez': '200 ok', '/healthz': '503 no_database', '/readyz': '503 no_database' };

afterEach(async () => {
  await expect.poll(states).toEqual(ALL_OK);
});

it('reports a frozen database while it is frozen, and its return', async () => {
  await expect.poll(states).toEqual(ALL_OK);
  proxy.freeze();
  expect(await states()).toEqual(NO_DATABASE);
  expect(await metric('barograph_database_up')).toBe(0);
  expect(await metric('barograph_database_bytes')).toBeNaN();
  proxy.thaw();
  await expect.poll(() => metric('barograph_database_up')).toBe(1);
});

it('reports a killed database and its return', async () => {
  await proxy.cut();
  await expect.poll(states).toEqual(NO_DATABASE);
  expect(await metric('barograph_ready')).toBe(0);
  await proxy.open();
});

it('is not ready while the disk of the database is full, and ready after the next stored item', async () => {
  await database.sql.unsafe(`
    create function fill() returns trigger language plpgsql as
      $$begin raise exception 'could not extend file' using errcode = '53100'; end$$;
    create trigger full_disk before insert on turns execute function fill()`);
  const failed = await metric('barograph_ingest_commit_failures_total', '{reason="disk_full"}');
  expect(await post()).toBe(503);
  await expect.poll(states).toEqual({ ...ALL_OK, '/readyz': '503 disk_full' });
  expect(await metric('barograph_ready')).toBe(0);
  await expect.poll(() => metric('barograph_database_up')).toBe(1);
  expect(await metric('barograph_ingest_commit_failures_total', '{reason="disk_full"}')).toBe(failed + 1);
  await database.sql.unsafe('drop trigger full_disk on turns');
  expect(await post()).toBe(200);
  await expect.poll(states).toEqual(ALL_OK);
});

it('counts items and requests, and names no session, project, runner or token', async () => {
  const stored = await metric('barograph_ingest_items_total', '{outcome="stored"}');
  expect(await post()).toBe(200);
  expect(await metric('barograph_ingest_items_total', '{outcome="stored"}')).toBe(stored + 2);
  await fetch(`${server.url}/planted-path`);
  const answer = await fetch(`${server.url}/metrics`);
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const text = await answer.text();
  expect(text).not.toContain('planted');
  expect(text).not.toContain(token);
  expect(text).toMatch(/^barograph_task_backlog\{task="history"\} \d+$/m);
  expect(text).toMatch(/^barograph_http_request_seconds_count\{route="\/v1\/ingest",status="2xx"\} \d+$/m);
});

it('requires a token for metrics behind a proxy', async () => {
  const read = await createToken(database.sql, { name: 'prometheus', scopes: ['read'] });
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`${server.url}/metrics`, { headers: { 'x-forwarded-for': '10.0.0.7', ...headers } })).status;
  expect(await ask({})).toBe(401);
  expect(await ask({ authorization: `Bearer ${token}` })).toBe(403);
  expect(await ask({ authorization: `Bearer ${read}` })).toBe(200);
});

it('is not ready while it stops', async () => {
  const other = await startIngestServer(database.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async () => {
    const [answer] = await once(get(`${other.url}/readyz`, { agent }), 'response');
    answer.resume();
    await once(answer, 'end');
    return answer.statusCode;
  };
  expect(await ask()).toBe(200);
  const slow = get(`${other.url}/readyz`, { agent });
  const closing = other.close();
  const [answer] = await once(slow, 'response').catch(() => [null]);
  expect(answer?.statusCode ?? 503).toBe(503);
  answer?.resume();
  await closing;
  agent.destroy();
  await expect(fetch(`${other.url}/readyz`)).rejects.toThrow();
});
