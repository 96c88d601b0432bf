import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { settingsOf } from '../testing/settings';
import { collectSources, compareSpans } from './collect-sources';
import { FeedStore } from './feed-store';
import { importTranscripts } from './import-transcripts';
import { RecordingClients } from './testing/recording-clients';
import { callLine, promptLine, SESSION_ID } from './testing/write-transcript';

const KEY = `claude-code:${SESSION_ID}`;
let home: string;
let root: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'barograph-import-'));
  root = join(home, 'projects');
  file = join(root, '-home-dev-harbour', `${SESSION_ID}.jsonl`);
  mkdirSync(join(root, '-home-dev-harbour', SESSION_ID, 'subagents'), { recursive: true });
  writeFileSync(file, promptLine('Count the ships') + callLine('msg_1', 5) + callLine('msg_2', 6));
});
afterEach(() => rmSync(home, { recursive: true }));

async function run(
  options: { path?: string; again?: boolean; token?: string; flags?: { project?: string } } = {},
) {
  const clients = new RecordingClients();
  const settings = settingsOf({ BAROGRAPH_DATA_DIR: join(home, 'data') }, { flags: options.flags ?? {} });
  const { sessions, skipped } = await collectSources([options.path ?? root]);
  const summary = await importTranscripts(sessions, {
    settings,
    store: new FeedStore(settings.queueFolder, {
      url: 'http://127.0.0.1:4750',
      token: options.token ?? 'bg_test',
    }),
    clients,
    signal: new AbortController().signal,
    again: options.again ?? false,
    onProgress: () => undefined,
  });
  return { clients, summary, skipped };
}

it('sends only the lines that were added', async () => {
  await run();
  appendFileSync(file, callLine('msg_2', 60) + callLine('msg_3', 7));
  const { clients } = await run();
  expect(clients.calls()).toEqual(['msg_2', 'msg_3']);
  expect(clients.itemsOf('turn').map(({ usage }) => usage?.output)).toEqual([60, 7]);
});

it('starts over if the client removed the last call and appended a longer one', async () => {
  const head = promptLine('Count the ships '.repeat(100)) + callLine('msg_1', 5);
  writeFileSync(file, head + callLine('msg_2', 6));
  await run();
  writeFileSync(file, head + callLine('msg_3', 7).replace('"content":[]', `"content":"${'x'.repeat(900)}"`));
  expect((await run()).clients.calls()).toEqual(['msg_1', 'msg_3']);
  expect((await run()).clients.calls()).toEqual([]);
});

it('starts over for another server, another project, and on request', async () => {
  await run();
  expect((await run({ token: 'bg_other' })).clients.calls()).toHaveLength(2);
  expect((await run({ flags: { project: 'fleet' } })).clients.projects.get(KEY)).toBe('fleet');
  expect((await run({ again: true })).clients.calls()).toHaveLength(2);
});

it('finds the whole session from its file, its folder, and the projects folder', async () => {
  const agent = join(root, '-home-dev-harbour', SESSION_ID, 'subagents', 'agent-abc.jsonl');
  writeFileSync(agent, callLine('msg_s', 9).replace('"isSidechain":false', '"isSidechain":true'));
  for (const path of [file, join(root, '-home-dev-harbour', SESSION_ID), root]) {
    const { clients } = await run({ path, again: true });
    expect(clients.calls()).toEqual(['msg_1', 'msg_2', 'msg_s']);
    expect(clients.measure(KEY).side).toMatchObject({ calls: 1, output: 9 });
  }
});

it('lists the paths that are not transcripts', async () => {
  writeFileSync(join(root, 'notes.jsonl'), '{"hello":"world"}\n');
  const { skipped } = await run();
  expect(skipped).toEqual([
    { path: join(root, 'notes.jsonl'), reason: 'no transcript of a known client', isFault: false },
  ]);
  expect((await collectSources([join(root, 'none')])).skipped).toEqual([
    { path: join(root, 'none'), reason: 'no such file or folder', isFault: true },
  ]);
});

it('reads each transcript behind links once, by its path through the first link', async () => {
  const other = '22222222-2222-4222-8222-222222222222';
  const elsewhere = join(home, 'shared', '-home-dev-linked');
  mkdirSync(elsewhere, { recursive: true });
  writeFileSync(join(elsewhere, `${other}.jsonl`), callLine('msg_o', 3).replaceAll(SESSION_ID, other));
  symlinkSync(elsewhere, join(root, '-home-dev-linked'));
  symlinkSync(elsewhere, join(root, '-home-dev-linked-twice'));
  symlinkSync(join(elsewhere, `${other}.jsonl`), join(root, '-home-dev-harbour', `${other}.jsonl`));
  symlinkSync(join(root, '-home-dev-harbour'), join(root, '-home-dev-again'));
  symlinkSync(elsewhere, join(elsewhere, 'itself'));
  const { sessions, skipped } = await collectSources([root, elsewhere]);
  expect(skipped).toEqual([]);
  expect(sessions.flatMap(({ sources }) => sources.map(({ path }) => path)).sort()).toEqual([
    file,
    join(root, '-home-dev-linked', `${other}.jsonl`),
  ]);
  const { clients } = await run();
  expect(clients.calls().sort()).toEqual(['msg_1', 'msg_2', 'msg_o']);
});

it('names the links that it cannot follow, and reads the others', async () => {
  const leftOut = [
    ['above', home, 'link to a folder above it'],
    ['broken', join(home, 'none'), 'broken link'],
    ['self', join(root, 'self'), 'link to itself'],
  ] as const;
  for (const [name, target] of leftOut) symlinkSync(target, join(root, name));
  const { clients, skipped } = await run();
  expect(skipped.sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
    leftOut.map(([name, , reason]) => ({ path: join(root, name), reason, isFault: false })),
  );
  expect(clients.calls()).toEqual(['msg_1', 'msg_2']);
});

it.skipIf(process.getuid?.() === 0)('names the folders and files without a permission', async () => {
  const folder = join(root, '-home-dev-locked');
  const locked = join(root, '-home-dev-harbour', 'locked.jsonl');
  mkdirSync(folder);
  writeFileSync(locked, callLine('msg_9', 5));
  chmodSync(folder, 0o000);
  chmodSync(locked, 0o000);
  const { skipped } = await run();
  const reason = 'no permission to read it';
  expect(skipped).toEqual([folder, locked].map((path) => ({ path, reason, isFault: false })));
});

it('counts the calls of every session if a server repeats its message ids', async () => {
  await run();
  const other = join(root, '-home-dev-harbour', '33333333-3333-4333-8333-333333333333.jsonl');
  const later = '2026-03-01T11:00:00.000Z';
  writeFileSync(other, callLine('msg_1', 5, later) + callLine('msg_2', 9, later));
  const fork = join(root, '-home-dev-harbour', '44444444-4444-4444-8444-444444444444.jsonl');
  writeFileSync(fork, callLine('msg_1', 5) + callLine('msg_1', 8, later));
  const { clients } = await run();
  expect(
    clients.itemsOf('turn').map(({ call, usage, inherited }) => [call, usage?.output, inherited]),
  ).toEqual([
    ['copy:msg_1', 5, true],
    ['msg_1', 8, undefined],
    ['msg_1', 5, undefined],
    ['msg_2', 9, undefined],
  ]);
});

it('marks calls that a fork copied in a later run as inherited', async () => {
  await run();
  const fork = join(root, '-home-dev-harbour', '22222222-2222-4222-8222-222222222222.jsonl');
  writeFileSync(fork, callLine('msg_1', 5) + callLine('msg_9', 4));
  const { clients, summary } = await run();
  expect(clients.itemsOf('turn').map(({ call, inherited }) => [call, inherited ?? false])).toEqual([
    ['copy:msg_1', true],
    ['msg_9', false],
  ]);
  expect(summary.calls).toBe(1);
});

it('marks the unmarked copies of a fork that is imported without its parent as inherited', async () => {
  const fork = join(root, '-home-dev-harbour', '22222222-2222-4222-8222-222222222222.jsonl');
  const boundary = { type: 'system', subtype: 'compact_boundary', uuid: 'b-1', sessionId: SESSION_ID };
  const copied = `${JSON.stringify({ ...boundary, timestamp: '2026-03-01T10:01:00.000Z' })}\n`;
  appendFileSync(file, copied);
  writeFileSync(fork, callLine('msg_1', 5) + copied + callLine('msg_9', 4, '2026-03-01T11:00:00.000Z'));
  const { clients } = await run({ path: fork });
  expect(clients.itemsOf('turn').map(({ call, inherited }) => [call, inherited ?? false])).toEqual([
    ['copy:msg_1', true],
    ['msg_9', false],
  ]);
  expect(clients.itemsOf('compaction')).toEqual([]);
  expect((await run({ path: file })).clients.itemsOf('turn').map(({ inherited }) => inherited)).toEqual([
    undefined,
    undefined,
  ]);
});

it('reads a session before the fork that copied its lines, even if the session continued afterwards', () => {
  const original = { firstAt: 1, lastAt: 9, isLate: false };
  const fork = { firstAt: 1, lastAt: 5, isLate: true };
  const restored = { ...original, lastAt: 3, isLate: true };
  expect([fork, original].sort(compareSpans)).toEqual([original, fork]);
  expect([fork, restored].sort(compareSpans)).toEqual([restored, fork]);
});
