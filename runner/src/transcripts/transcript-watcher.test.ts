import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { startTimeOf } from '../queue/queue-lock';
import { prepareWatch } from './testing/prepare-watch';
import { RecordingClients } from './testing/recording-clients';
import { callLine, promptLine, SESSION_ID } from './testing/write-transcript';

const KEY = `claude-code:${SESSION_ID}`;
const used = prepareWatch();
let root: string;
let folder: string;
let file: string;

beforeEach(() => {
  root = join(used.home, 'projects');
  folder = join(root, '-home-dev-harbour');
  file = join(folder, `${SESSION_ID}.jsonl`);
  mkdirSync(folder, { recursive: true });
});

it('skips earlier lines, reports their number of calls, and follows appended ones', async () => {
  writeFileSync(file, promptLine('Before') + callLine('msg_1', 5) + callLine('msg_2', 6));
  const { clients } = await used.watch(root);
  expect(clients.items).toEqual([]);
  appendFileSync(file, callLine('msg_3', 7));
  await clients.until(() => clients.calls().length === 1);
  expect(clients.calls()).toEqual(['msg_3']);
  expect(clients.itemsOf('gap')).toMatchObject([{ count: 2, session: KEY }]);
  expect(clients.itemsOf('session_start').at(-1)).toMatchObject({ title: 'Before' });
  expect(clients.projects.get(KEY)).toBe('harbour');
});

it('sends earlier lines with fromStart', async () => {
  writeFileSync(file, promptLine('Before') + callLine('msg_1', 5) + callLine('msg_2', 6));
  const { clients } = await used.watch(root, { fromStart: true });
  await clients.until(() => clients.calls().length === 2);
  expect(clients.itemsOf('gap')).toEqual([]);
  expect(clients.measure(KEY).main).toEqual({
    calls: 2,
    input: 20,
    output: 11,
    cacheRead: 0,
    cacheCreation: 200,
  });
});

it('follows a file, a folder and a sub-agent that appear later', async () => {
  const { clients } = await used.watch(root);
  writeFileSync(file, promptLine('New') + callLine('msg_1', 5));
  await clients.until(() => clients.calls().length === 1);
  const agents = join(folder, SESSION_ID, 'subagents');
  mkdirSync(agents, { recursive: true });
  writeFileSync(
    join(agents, 'agent-abc.jsonl'),
    callLine('msg_s', 9).replace('"isSidechain":false', '"isSidechain":true'),
  );
  const other = join(root, '-home-dev-lighthouse');
  mkdirSync(other);
  writeFileSync(join(other, '22222222-2222-4222-8222-222222222222.jsonl'), callLine('msg_o', 3));
  await clients.until(() => clients.calls().length === 3);
  expect(clients.itemsOf('turn').find(({ call }) => call === 'msg_s')).toMatchObject({
    session: KEY,
    chain: 'abc',
  });
  expect(new Set(clients.items.map(({ session }) => session)).size).toBe(2);
});

it('follows the files behind links, once each, and names a broken link once', async () => {
  const elsewhere = join(used.home, 'elsewhere');
  mkdirSync(elsewhere);
  const linked = join(elsewhere, `${SESSION_ID}.jsonl`);
  writeFileSync(linked, promptLine('Before') + callLine('msg_1', 5));
  for (const name of ['-home-dev-linked', '-home-dev-twice']) symlinkSync(elsewhere, join(root, name));
  const other = join(used.home, 'other');
  mkdirSync(other);
  symlinkSync(elsewhere, join(other, '-home-dev-linked'));
  symlinkSync(root, join(other, '-root'));
  symlinkSync(linked, join(root, `${SESSION_ID}.jsonl`));
  symlinkSync(join(used.home, 'none'), join(root, 'broken'));
  const problems: string[][] = [];
  const { clients, watcher } = await used.watch(root, {
    roots: [root, other],
    onProblem: (...problem) => problems.push(problem),
  });
  appendFileSync(linked, callLine('msg_2', 6));
  await clients.until(() => clients.calls().length === 1);
  appendFileSync(linked, callLine('msg_3', 7));
  await clients.until(() => clients.calls().length === 2);
  expect(clients.calls()).toEqual(['msg_2', 'msg_3']);
  expect(clients.itemsOf('gap')).toMatchObject([{ count: 1, session: KEY }]);
  expect(watcher.stats().files).toBe(1);
  expect(problems).toEqual([[join(root, 'broken'), 'left out: broken link']]);
});

it('reads a file that was cut short, or replaced, from its start', async () => {
  const { clients } = await used.watch(root);
  writeFileSync(file, callLine('msg_1', 5) + callLine('msg_2', 6));
  await clients.until(() => clients.calls().length === 2);
  truncateSync(file, 0);
  appendFileSync(file, callLine('msg_3', 7));
  await clients.until(() => clients.calls().includes('msg_3'));
  const fresh = `${file}.new`;
  writeFileSync(fresh, callLine('msg_4', 8) + callLine('msg_5', 9) + callLine('msg_6', 1));
  renameSync(fresh, file);
  await clients.until(() => clients.calls().length === 6);
  expect(clients.measure(KEY).main).toMatchObject({ calls: 6, output: 36 });
});

it('continues where it stopped, and catches up with lines written since then', async () => {
  const { clients, watcher } = await used.watch(root);
  writeFileSync(file, promptLine('Work') + callLine('msg_1', 5));
  await clients.until(() => clients.calls().length === 1);
  await watcher.stop();
  appendFileSync(file, callLine('msg_2', 6));
  const elsewhere = join(folder, '33333333-3333-4333-8333-333333333333.jsonl');
  writeFileSync(elsewhere, callLine('msg_e', 2));
  const second = new RecordingClients();
  await used.watch(root, { clients: second });
  await second.until(() => second.calls().length === 2);
  expect(second.calls().sort()).toEqual(['msg_2', 'msg_e']);
  expect(second.itemsOf('gap')).toEqual([]);
});

it('sends calls again under the same id if a kill lost the position', async () => {
  const { clients, watcher } = await used.watch(root);
  writeFileSync(file, promptLine('Work') + callLine('msg_1', 5));
  await clients.until(() => clients.calls().length === 1);
  // The files of a process that was killed right after it sent the next call.
  cpSync(join(used.home, 'data'), join(used.home, 'killed'), { recursive: true });
  appendFileSync(file, callLine('msg_2', 6));
  await clients.until(() => clients.calls().length === 2);
  await watcher.stop();
  appendFileSync(file, callLine('msg_3', 7));
  const second = new RecordingClients();
  await used.watch(root, { clients: second, dataDir: join(used.home, 'killed') });
  await second.until(() => second.calls().includes('msg_3'));
  expect(second.calls()).toEqual(expect.arrayContaining(['msg_2', 'msg_3']));
  const all = new RecordingClients();
  all.items.push(...clients.items, ...second.items);
  expect(all.measure(KEY).main).toMatchObject({ calls: 3, output: 18 });
});

it('marks old lines as history and new ones as live', async () => {
  const clock = Date.parse('2026-03-01T12:00:00.000Z');
  const { clients } = await used.watch(root, { now: () => clock });
  writeFileSync(file, callLine('msg_1', 5, '2026-03-01T10:00:00.000Z'));
  await clients.until(() => clients.calls().length === 1);
  appendFileSync(file, callLine('msg_2', 6, '2026-03-01T11:59:59.000Z'));
  await clients.until(() => clients.calls().length === 2);
  const order = clients.items.map((item) =>
    item.type === 'session_start' ? `backfill ${item.backfill}` : 'call' in item ? item.call : item.type,
  );
  expect(order.filter((word, index) => word !== order[index - 1])).toEqual([
    'backfill true',
    'msg_1',
    'backfill false',
    'msg_2',
  ]);
});

it('marks calls that a fork copied from an unread file as inherited', async () => {
  writeFileSync(file, promptLine('Trunk') + callLine('msg_trunk_1', 5) + callLine('msg_trunk_2', 6));
  const { clients, watcher } = await used.watch(root);
  const fork = join(folder, '22222222-2222-4222-8222-222222222222.jsonl');
  writeFileSync(fork, callLine('msg_trunk_1', 5) + callLine('msg_fork_1', 7));
  await clients.until(() => clients.calls().length === 2);
  expect(clients.itemsOf('turn').map(({ call, inherited }) => [call, inherited ?? false])).toEqual([
    ['copy:msg_trunk_1', true],
    ['msg_fork_1', false],
  ]);
  expect(clients.itemsOf('session_start').at(-1)).toMatchObject({ forkedFrom: KEY });
  expect(watcher.stats().calls).toBe(1);
  appendFileSync(fork, callLine('msg_fork_1', 70));
  await clients.until(() => clients.itemsOf('turn').some(({ usage }) => usage?.output === 70));
  expect(watcher.stats().calls).toBe(1);
});

it('waits for a line with the session’s folder before it names a project', async () => {
  const { clients, watcher } = await used.watch(root);
  const modes = `${JSON.stringify({ type: 'mode', mode: 'default', sessionId: SESSION_ID })}\n`.repeat(2);
  writeFileSync(file, modes);
  const other = '22222222-2222-4222-8222-222222222222';
  writeFileSync(join(folder, `${other}.jsonl`), callLine('msg_o', 3).replaceAll(SESSION_ID, other));
  await clients.until(() => clients.calls().length === 1);
  expect(watcher.stats().files).toBe(2);
  expect(clients.projects.has(KEY)).toBe(false);
  appendFileSync(file, promptLine('New') + callLine('msg_1', 5));
  await clients.until(() => clients.calls().length === 2);
  expect(clients.projects.get(KEY)).toBe('harbour');
  expect(
    clients.targets.every(
      ({ client, projectSource }) => `${client} ${projectSource}` === 'claude-code folder',
    ),
  ).toBe(true);
});

it('takes the project from the name of a file’s folder only as the weakest source', async () => {
  writeFileSync(file, callLine('msg_1', 5).replace('"cwd":"/home/dev/harbour",', ''));
  const { clients } = await used.watch(root, { fromStart: true });
  await clients.until(() => clients.calls().length === 1);
  expect(clients.targets).toMatchObject([{ project: '-home-dev-harbour', projectSource: 'name' }]);
});

it('ends the session of a killed client after its last call', async () => {
  const client = spawn('sleep', ['60']);
  await once(client, 'spawn');
  const { pid = 0 } = client;
  mkdirSync(join(used.home, 'sessions'));
  const listed = { pid, sessionId: SESSION_ID, procStart: startTimeOf(pid) };
  writeFileSync(join(used.home, 'sessions', `${pid}.json`), JSON.stringify(listed));
  const { clients } = await used.watch(root, { now: () => 1_772_359_300_000 });
  writeFileSync(file, promptLine('Before') + callLine('msg_1', 5));
  client.kill('SIGKILL');
  await clients.until(() => clients.itemsOf('session_end').length === 1);
  const end = { type: 'session_end', session: KEY, at: 1_772_359_300_000, reason: 'crash' };
  expect(clients.items.at(-1)).toEqual(end);
  expect(clients.calls()).toEqual(['msg_1']);
});

it('sends lines again if the queue could not take them, and reports the reason once', async () => {
  const clients = new RecordingClients();
  const { of } = clients;
  let failures = 0;
  clients.of = (target) => {
    failures += 1;
    if (failures <= 3) return Promise.reject(new Error('no space left on device'));
    return of.call(clients, target);
  };
  const problems: string[] = [];
  await used.watch(root, { clients, onProblem: (_, reason) => problems.push(reason) });
  writeFileSync(file, promptLine('New') + callLine('msg_1', 5));
  await clients.until(() => clients.calls().length === 1);
  appendFileSync(file, callLine('msg_2', 6));
  await clients.until(() => clients.calls().length === 2);
  expect(clients.measure(KEY).main).toMatchObject({ calls: 2, output: 11 });
  expect(problems).toEqual(['no space left on device']);
});
