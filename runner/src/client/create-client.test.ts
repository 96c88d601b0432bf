import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../../core/testing/patience';
import { findServer } from '../find-server';
import { readUsage } from '../usage';
import type { ClientOptions, RefusedItem } from './client-types';
import { createClient } from './create-client';
import { FakeServer } from './testing/fake-server';

let folder: string;
const cleanUps: Array<() => unknown> = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'p4-client-'));
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  rmSync(folder, { recursive: true, force: true });
});

async function startServer(...args: Parameters<typeof FakeServer.start>): Promise<FakeServer> {
  const server = await FakeServer.start(...args);
  cleanUps.push(() => server.stop());
  return server;
}

function startClient(url: string, options: Partial<ClientOptions> = {}) {
  const client = createClient({
    url,
    token: 'bg_test',
    project: 'p',
    runner: { name: 'r' },
    queueFolder: path.join(folder, 'queue'),
    timing: { baseMs: 5, capMs: 20, slowMs: 20 },
    ...options,
  });
  cleanUps.push(() => client.close(0));
  return client;
}

test('delivers the items of a session in order', async () => {
  const server = await startServer();
  const client = startClient(server.url);
  const session = client.session('s', { title: 'A title', limit: 200_000 });
  session.turn({ usage: { inputTokens: 487, outputTokens: 5880, cacheReadTokens: 1_432_262 } });
  session.reading({ contextTokens: 6367 });
  session.compaction({ trigger: 'auto', state: 'confirmed', preTokens: 170_000 });
  session.restart({ continuation: 1, checkpoint: 'Goal: …' });
  session.clear();
  session.compress({ before: 5, after: 3 });
  session.alias({ client: 'claude-code', clientSessionId: 'abc' });
  session.archive({ state: 'stored', bytes: 5 });
  session.gap({ count: 2 });
  session.end({ reason: 'done' });
  expect(await client.flush(PATIENCE_MS)).toEqual({
    delivered: true,
    outstanding: [],
    queued: 0,
    refused: [],
  });
  const types =
    'session_start turn reading compaction restart clear compress session_alias archive gap session_end';
  expect(server.items.map(({ type }) => type).join(' ')).toBe(types);
  expect(server.items.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(server.authorizations).toEqual(['Bearer bg_test']);
  expect(server.hellos[0]).not.toHaveProperty('token');
});

test('keeps the queue readable by its owner only', () => {
  const client = startClient('http://127.0.0.1:9');
  client.session('s', { title: 'secret' });
  const queue = path.join(folder, 'queue');
  expect(statSync(queue).mode & 0o777).toBe(0o700);
  const stream = path.join(queue, client.stats().stream);
  expect(statSync(stream).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(stream))
    expect([name, statSync(path.join(stream, name)).mode & 0o777]).toEqual([name, 0o600]);
});

test('delivers items of an outage once the server is back', async () => {
  const first = await startServer();
  const { port } = first;
  const client = startClient(first.url);
  client.session('s').turn({ usage: { inputTokens: 1 } });
  await client.flush(PATIENCE_MS);
  await first.stop();
  for (let i = 0; i < 100; i += 1) client.session('s').turn({ usage: { inputTokens: i } });
  const before = await client.flush(20);
  expect(before).toMatchObject({ delivered: false, queued: 100, outstanding: [[2, 101]] });
  const second = await startServer({ port });
  expect((await client.flush(PATIENCE_MS)).delivered).toBe(true);
  expect(second.items.map((item) => item.seq)).toEqual(Array.from({ length: 100 }, (_, i) => i + 2));
});

test('retries at once on close instead of waiting for the backoff', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.999);
  cleanUps.push(() => random.mockRestore());
  const first = await startServer();
  const { port } = first;
  const client = startClient(first.url, { timing: { baseMs: 600_000, capMs: 600_000 } });
  client.session('s').turn({ usage: { inputTokens: 1 } });
  await client.flush(PATIENCE_MS);
  await first.stop();
  await vi.waitFor(() => expect(client.stats().state.status).toBe('waiting'));
  client.session('s').turn({ usage: { inputTokens: 2 } });
  const second = await startServer({ port });
  expect(await client.close(PATIENCE_MS)).toMatchObject({ delivered: true, queued: 0 });
  expect(second.items.map((item) => item.seq)).toEqual([2]);
});

test.each([
  ['resends only what the server lacks after a lost acknowledgement', true],
  ['resends unacknowledged items on the next connection', false],
])('%s', async (_title, isStored) => {
  let isFirst = true;
  const server = await startServer({
    onFrame(items, socket, self) {
      if (!isFirst || isStored) self.store(items, socket);
      if (isFirst) self.cut();
      else self.ack(items, socket);
      isFirst = false;
    },
  });
  const client = startClient(server.url);
  for (let i = 0; i < 10; i += 1) client.session('s').turn({ usage: { inputTokens: i } });
  expect((await client.flush(PATIENCE_MS)).delivered).toBe(true);
  expect(server.items).toHaveLength(10);
  expect([server.hellos.length, server.frames.length]).toEqual([2, isStored ? 1 : 2]);
  expect(client.stats().acknowledged).toBe(10);
});

test('reports invalid input without throwing, and leaves a gap for a lost turn', async () => {
  const server = await startServer();
  const refused: RefusedItem[] = [];
  const client = startClient(server.url, { onRefused: (item) => refused.push(item) });
  const session = client.session('s');
  expect(session.turn({ usage: { inputTokens: 0.5 } })).toBeNull();
  expect(session.turn({ usage: { inputTokens: 2 ** 53 } })).toBeNull();
  expect(session.reading({ contextTokens: Number.NaN })).toBeNull();
  expect(
    session.turn({
      get usage(): never {
        throw new Error('no usage here');
      },
    }),
  ).toBeNull();
  expect(client.send(undefined as never)).toBeNull();
  expect(client.send({ type: 'nonsense' } as never)).toBeNull();
  expect(session.turn({ usage: { inputTokens: 1 } })).toBe(3);
  expect(refused.map(({ code, field }) => [code, field])).toEqual([
    ['invalid_count', 'usage.inputTokens'],
    ['invalid_count', 'usage.inputTokens'],
    ['invalid_count', 'contextTokens'],
    ['invalid_message', ''],
    ['invalid_message', ''],
    ['invalid_message', 'type'],
  ]);
  const result = await client.flush(PATIENCE_MS);
  expect(result.refused).toHaveLength(6);
  expect(server.items.map(({ type }) => type)).toEqual(['gap', 'gap', 'turn']);
});

test('catches errors of callbacks', async () => {
  const server = await startServer();
  const throwing = () => {
    throw new Error('theirs');
  };
  const client = startClient(server.url, {
    onRefused: throwing,
    onState: throwing,
    logger: { info: throwing, warn: throwing },
  });
  expect(client.session('s').turn({ usage: { inputTokens: 0.1 } })).toBeNull();
  client.session('s').turn({ usage: { inputTokens: 1 } });
  expect((await client.flush(PATIENCE_MS)).delivered).toBe(true);
});

test('shortens long texts, and repairs texts that end within a character', async () => {
  const server = await startServer();
  const client = startClient(server.url);
  client.session('s', { title: `${'x'.repeat(998)}😀${'y'.repeat(50)}`.slice(0, 999), folder: 'a\u0000b' });
  client.session('t', { title: 'z'.repeat(2000) });
  client.session('u', { title: '😀'.repeat(1_000), folder: `x${'😀'.repeat(1_000)}` });
  await client.flush(PATIENCE_MS);
  expect(server.items.map((item) => [String(item.title).length, item.folder])).toEqual([
    [999, 'a\ufffdb'],
    [1000, undefined],
    [2000, `x${'😀'.repeat(999)}`],
  ]);
});

test('writes neither title nor checkpoint to the disk with content off', async () => {
  const client = startClient('http://127.0.0.1:9', { content: false });
  const session = client.session('s', { title: 'SECRET title', folder: '/src/app' });
  session.restart({ checkpoint: 'SECRET checkpoint', continuation: 1 });
  const stream = path.join(folder, 'queue', client.stats().stream);
  const disk = readdirSync(stream)
    .map((name) => readFileSync(path.join(stream, name), 'utf8'))
    .join();
  expect(disk).toContain('/src/app');
  expect(disk).not.toContain('SECRET');
});

test('refuses a usage with names of a provider, with the right names, and records a gap', async () => {
  const server = await startServer();
  const refused: RefusedItem[] = [];
  const client = startClient(server.url, { onRefused: (item) => refused.push(item) });
  const usage = { input_tokens: 900, output_tokens: 40 };
  client.session('s').turn({ usage: usage as object });
  client.session('s').turn({ usage: readUsage({ usage }) });
  for (const known of [{ outputTokens: 5, output_tokens: 5 }, {}]) client.session('s').turn({ usage: known });
  await client.flush(PATIENCE_MS);
  const names =
    'input_tokens, output_tokens) and none of inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens; use readUsage(';
  expect(refused).toMatchObject([{ type: 'turn', field: 'usage', reason: expect.stringContaining(names) }]);
  expect(server.items).toMatchObject([
    { type: 'gap', count: 1, reason: 'invalid_field usage' },
    { usage: { input: 900, output: 40 } },
    { usage: { output: 5 } },
    { usage: {} },
  ]);
});

test('refuses a usage of the AI SDK, because its input includes cached tokens', async () => {
  const server = await startServer();
  const refused: RefusedItem[] = [];
  const client = startClient(server.url, { onRefused: (item) => refused.push(item) });
  const usage = { inputTokens: 900, outputTokens: 40, cachedInputTokens: 800 };
  client.session('s').turn({ usage });
  client.session('s').turn({ usage: readUsage({ usage }) });
  await client.flush(PATIENCE_MS);
  expect(refused).toMatchObject([{ field: 'usage', reason: expect.stringContaining('cachedInputTokens') }]);
  expect(server.items[1]).toMatchObject({ usage: { input: 100, output: 40, cacheRead: 800 } });
});

test('takes the names of the protocol, with a hint', async () => {
  const hints = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => hints.mockRestore());
  const server = await startServer();
  const client = startClient(server.url);
  client.session('s').turn({ usage: { input: 9, cacheRead: 3 } });
  client.session('s').turn({ usage: { input: 10 } });
  await client.flush(PATIENCE_MS);
  expect(server.items).toMatchObject([{ usage: { input: 9, cacheRead: 3 } }, { usage: { input: 10 } }]);
  const now = (old: string, name: string) =>
    `session.turn: "usage.${old}" is now "usage.${name}". The old name is accepted until version 1.0.`;
  expect(hints.mock.calls.map(([text]) => text)).toEqual([
    now('input', 'inputTokens'),
    now('cacheRead', 'cacheReadTokens'),
  ]);
});

test('reports a refused item and stores its neighbours', async () => {
  const server = await startServer({
    onFrame(items, socket, self) {
      self.store(
        items.filter((item) => item.seq !== 2),
        socket,
      );
      self.ack(items, socket, [
        { seq: 2, index: 1, code: 'call_conflict', field: 'usage.input', reason: 'differs' },
      ]);
    },
  });
  const refused: RefusedItem[] = [];
  const client = startClient(server.url, { onRefused: (item) => refused.push(item) });
  for (let i = 1; i <= 3; i += 1) client.session(`s${i}`).turn({ usage: { inputTokens: i } });
  expect(await client.flush(PATIENCE_MS)).toMatchObject({ delivered: true, queued: 0 });
  expect(refused).toEqual([
    {
      seq: 2,
      session: 's2',
      type: 'turn',
      code: 'call_conflict',
      field: 'usage.input',
      reason: 'differs',
    },
  ]);
});

test('isolates and drops the one item a server cannot read', async () => {
  const server = await startServer({
    onFrame(items, socket, self) {
      if (items.some((item) => item.session === 'poison')) return socket.close(4400, 'no message');
      self.store(items, socket);
      self.ack(items, socket);
    },
  });
  const refused: RefusedItem[] = [];
  const client = startClient(server.url, { onRefused: (item) => refused.push(item) });
  for (const key of ['a', 'b', 'poison', 'c', 'd']) client.session(key).turn({ usage: { inputTokens: 1 } });
  expect((await client.flush(PATIENCE_MS)).delivered).toBe(true);
  expect(server.items.map((item) => item.session)).toEqual(['a', 'b', 'c', 'd']);
  expect(refused.map((item) => item.session)).toEqual(['poison']);
});

test('rejects invalid options', () => {
  expect(() => startClient('ftp://somewhere')).toThrow(/http/);
  expect(() => startClient('http://127.0.0.1:1/?token=x')).toThrow(/token separately/);
  expect(() => startClient('http://127.0.0.1:1', { project: '' })).toThrow(/project/);
  expect(() => startClient('http://127.0.0.1:1', { token: 'a\nb' })).toThrow(/token/);
  expect(() => startClient('http://127.0.0.1:1', { secret: 'short' })).toThrow('64 hexadecimal digits');
  expect(() => startClient('')).toThrow('findServer() returns null if no server is known');
});

test('takes what findServer returns, and names the settings if no server is known', () => {
  vi.stubEnv('BAROGRAPH_DATA_DIR', folder);
  for (const name of ['BAROGRAPH_URL', 'BAROGRAPH_TOKEN', 'BAROGRAPH_TOKEN_FILE'])
    vi.stubEnv(name, undefined);
  cleanUps.push(() => vi.unstubAllEnvs());
  const start = () => createClient({ ...findServer(), project: 'p', runner: { name: 'r' } });
  expect(start).toThrow('or set BAROGRAPH_URL and BAROGRAPH_TOKEN');
  vi.stubEnv('BAROGRAPH_URL', 'http://127.0.0.1:9');
  const client = start();
  cleanUps.push(() => client.close(0));
  expect(client.session('s').destination()).toMatchObject({ url: 'http://127.0.0.1:9', token: null });
  const withoutFolder = { url: 'http://127.0.0.1:9', project: 'p', runner: { name: 'r' } };
  expect(() => createClient(withoutFolder)).toThrow('"queueFolder" must be the path of a folder');
});

test('refuses items after close', async () => {
  const server = await startServer();
  const client = startClient(server.url);
  await client.close(PATIENCE_MS);
  expect(client.session('s').turn({ usage: { inputTokens: 1 } })).toBeNull();
  expect(client.stats()).toMatchObject({ state: { status: 'closed' }, refused: 1 });
});

test('does not wait for delivery after close', async () => {
  const client = startClient('http://127.0.0.1:9');
  client.session('s').clear();
  await client.close(0);
  expect(await client.drain(0)).toBe(false);
  expect(await client.flush(60_000)).toMatchObject({ delivered: false, queued: 1 });
});

test('splits items into frames of at most 500', async () => {
  const server = await startServer();
  const client = startClient(server.url);
  const session = client.session('s');
  for (let i = 0; i < 12_000; i += 1)
    session.turn({ usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3 }, call: `call-${i}` });
  expect((await client.flush(PATIENCE_MS)).delivered).toBe(true);
  expect(server.items).toHaveLength(12_000);
  expect(Math.max(...server.frames.map((frame) => frame.length))).toBeLessThanOrEqual(500);
});
