import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { settingsOf } from '../testing/settings';
import { FeedStore } from './feed-store';
import { RecordingClients } from './testing/recording-clients';
import { TranscriptWatcher } from './transcript-watcher';

const ID = 'f7633853-6663-4dbb-bbf4-00000000000c';
const KEY = `gemini-cli:${ID}`;
let home: string;
let root: string;
let document: string;
let watcher: TranscriptWatcher | undefined;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'barograph-documents-'));
  root = join(home, '.gemini', 'tmp');
  const folder = join(root, 'harbour', 'chats');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, 'harbour', '.project_root'), '/home/dev/harbour\n');
  document = join(folder, 'session-2026-03-01T10-00-f7633853.json');
});
afterEach(async () => {
  await watcher?.stop();
  rmSync(home, { recursive: true });
});

async function watch() {
  const clients = new RecordingClients();
  const settings = settingsOf({ BAROGRAPH_DATA_DIR: join(home, 'data') });
  const store = new FeedStore(settings.queueFolder, { url: 'http://127.0.0.1:4750', token: 'bg_test' });
  const timing = { sweepMs: 50, hotMs: 10, quietMs: 20 };
  watcher = new TranscriptWatcher({
    ...{ settings, store, clients, timing },
    ...{ roots: [root], fromStart: false, now: Date.now },
  });
  await watcher.start();
  return clients;
}

const messageOf = (id: string, output: number) => ({
  ...{ id, timestamp: new Date().toISOString(), type: 'gemini', content: 'Done.', model: 'gemini-2.5-pro' },
  tokens: { input: 100, output, cached: 40, thoughts: 0, tool: 0, total: 100 + output },
});
const sessionOf = (...messages: object[]) =>
  JSON.stringify(
    { sessionId: ID, projectHash: '7e89', startTime: '2026-03-01T10:00:00.000Z', messages },
    null,
    2,
  );

it('sends each call of a document once, however often the client writes the document again', async () => {
  const clients = await watch();
  const [first, second, third] = [messageOf('a1', 5), messageOf('a2', 6), messageOf('a3', 7)];
  writeFileSync(document, sessionOf(first));
  await clients.until(() => clients.calls().length === 1);
  const whole = sessionOf(first, second);
  writeFileSync(document, whole.slice(0, -40));
  await new Promise((done) => setTimeout(done, 60));
  writeFileSync(document, whole);
  await clients.until(() => clients.calls().length === 2);
  await watcher?.stop();
  // The next watch continues, although the document became shorter.
  const again = await watch();
  writeFileSync(document, sessionOf(second, third).replaceAll(/\n\s*/g, ''));
  await again.until(() => again.calls().length === 1);
  const calls = [...clients.itemsOf('turn'), ...again.itemsOf('turn')];
  expect(calls.map(({ call, usage }) => [call, usage?.input, usage?.output])).toEqual([
    ['a1', 60, 5],
    ['a2', 60, 6],
    ['a3', 60, 7],
  ]);
  expect(clients.projects.get(KEY)).toBe('harbour');
});

it('skips the calls of a document from before the first watch, and reports their number', async () => {
  const old = { ...messageOf('a1', 5), timestamp: '2026-03-01T10:00:01.000Z' };
  writeFileSync(document, sessionOf(old));
  const clients = await watch();
  writeFileSync(document, sessionOf(old, messageOf('a2', 6)));
  await clients.until(() => clients.calls().length === 1);
  expect(clients.calls()).toEqual(['a2']);
  expect(clients.itemsOf('gap')).toMatchObject([{ session: KEY, count: 1 }]);
});

it('counts a call once if a stream repeats its message after the tools', async () => {
  const clients = await watch();
  const line = (value: object) => `${JSON.stringify(value)}\n`;
  const stream = `${document}l`;
  writeFileSync(stream, line({ sessionId: ID, projectHash: '7e89', kind: 'main' }));
  const call = messageOf('a1', 5);
  appendFileSync(
    stream,
    line(call) + line({ ...call, toolCalls: [] }) + line({ $set: { messages: [call] } }),
  );
  appendFileSync(stream, line(messageOf('a2', 6)));
  await clients.until(() => clients.calls().length === 2);
  expect(clients.measure(KEY).main).toMatchObject({ calls: 2, output: 11 });
});
