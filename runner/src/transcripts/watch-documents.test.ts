import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { prepareWatch } from './testing/prepare-watch';

const ID = 'f7633853-6663-4dbb-bbf4-00000000000c';
const KEY = `gemini-cli:${ID}`;
const used = prepareWatch();
let root: string;
let document: string;

beforeEach(() => {
  root = join(used.home, '.gemini', 'tmp');
  const folder = join(root, 'harbour', 'chats');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, 'harbour', '.project_root'), '/home/dev/harbour\n');
  document = join(folder, 'session-2026-03-01T10-00-f7633853.json');
});

const messageOf = (id: string, output: number) => ({
  ...{ id, timestamp: new Date().toISOString(), type: 'gemini', content: 'Done.', model: 'gemini-2.5-pro' },
  tokens: { input: 100, output, cached: 40, thoughts: 0, tool: 0, total: 100 + output },
});
const sessionOf = (...messages: object[]) => documentOf(ID, messages);
const documentOf = (sessionId: string, messages: object[]) =>
  JSON.stringify(
    { sessionId, projectHash: '7e89', startTime: '2026-03-01T10:00:00.000Z', messages },
    null,
    2,
  );

it('sends each call of a document once, however often the client writes the document again', async () => {
  const { clients, watcher } = await used.watch(root);
  const [first, second, third] = [messageOf('a1', 5), messageOf('a2', 6), messageOf('a3', 7)];
  writeFileSync(document, sessionOf(first));
  await clients.until(() => clients.calls().length === 1);
  const whole = sessionOf(first, second);
  writeFileSync(document, whole.slice(0, -40));
  // Two rounds of another session: the watcher has read the incomplete document.
  const sibling = document.replace('f7633853.json', 'f7633854.json');
  const rounds = [messageOf('b1', 1), messageOf('b2', 2)];
  for (const round of [1, 2]) {
    writeFileSync(sibling, documentOf(ID.replace(/c$/, 'd'), rounds.slice(0, round)));
    await clients.until(() => clients.calls().length === 1 + round);
  }
  writeFileSync(document, whole);
  await clients.until(() => clients.calls().length === 4);
  await watcher.stop();
  // The next watch continues, although the document became shorter.
  const { clients: again } = await used.watch(root);
  writeFileSync(document, sessionOf(second, third).replaceAll(/\n\s*/g, ''));
  await again.until(() => again.calls().length === 1);
  const calls = [...clients.itemsOf('turn'), ...again.itemsOf('turn')].filter(
    ({ session }) => session === KEY,
  );
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
  const { clients } = await used.watch(root);
  writeFileSync(document, sessionOf(old, messageOf('a2', 6)));
  await clients.until(() => clients.calls().length === 1);
  expect(clients.calls()).toEqual(['a2']);
  expect(clients.itemsOf('gap')).toMatchObject([{ session: KEY, count: 1 }]);
});

it('counts a call once if a stream repeats its message after the tools', async () => {
  const { clients } = await used.watch(root);
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
