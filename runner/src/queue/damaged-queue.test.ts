import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DurableQueue } from './durable-queue';
import { adoptOrphans, findQueueProblems, inspectQueues, openOwnQueue } from './open-queue';
import type { QueueIdentity } from './queue-files';
import { recoverQueue } from './recover-queue';

const TURNS = 200;
const url = 'ws://127.0.0.1:9/v1/ingest';
const identity: QueueIdentity = { url, project: 'p', runner: { name: 'r' }, source: 'sdk' };
let parent: string;
let folder: string;
let segment: string;
let opened: DurableQueue[] = [];
let warnings: Array<[string, Record<string, unknown>]> = [];
const settings = {
  maxBytes: 1024 * 1024,
  now: 1,
  warn: (message: string, fields: Record<string, unknown>) => void warnings.push([message, fields]),
};

beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'p4-damaged-'));
  [opened, warnings] = [[], []];
});
afterEach(() => {
  for (const queue of opened) queue.close();
  rmSync(parent, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
});

/** Leaves a queue with 200 turns that were never sent. */
function leave(
  sessionOf: (seq: number) => string = () => 's',
  use: (queue: DurableQueue) => void = () => undefined,
): void {
  const queue = openOwnQueue(parent, identity, settings);
  for (let seq = 1; seq <= TURNS; seq += 1)
    queue.append(
      JSON.stringify({ type: 'turn', seq, session: sessionOf(seq), at: seq, usage: { input: 1 } }),
    );
  use(queue);
  queue.close();
  folder = path.join(parent, queue.stream);
  segment = path.join(folder, '00000001.seg');
}

function change(file: string, edit: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  edit(bytes);
  writeFileSync(file, bytes);
}

/** Opens the queue as the next client does, and reads all items to send. */
function sendAll(): Array<Record<string, unknown>> {
  const own = openOwnQueue(parent, { ...identity, runner: { name: 'next' } }, settings);
  const adopted = adoptOrphans(parent, url, settings);
  opened.push(own, ...adopted);
  return adopted.flatMap((queue) => queue.next(0, 1000, 1e9).map(({ json }) => JSON.parse(json)));
}

function split(items: Array<Record<string, unknown>>) {
  const gaps = items.filter(({ type }) => type === 'gap');
  return { turns: items.length - gaps.length, gaps };
}
const problemTexts = () => findQueueProblems(parent).map(({ text }) => text);
const kept = () => readdirSync(path.join(parent, 'damaged'));

test('records one changed byte as a gap in its place, and keeps the file', () => {
  leave();
  change(segment, (bytes) => {
    bytes[bytes.indexOf('"seq":50,')] = 0x58;
  });
  const before = readFileSync(segment);
  expect(problemTexts()).toEqual([`damaged items in ${folder}: 1`]);
  const items = sendAll();
  expect(split(items)).toMatchObject({
    turns: 199,
    gaps: [{ seq: 50, session: 's', at: 49, from: 50, to: 50, count: 1 }],
  });
  expect(items[49]).not.toHaveProperty('bound');
  expect(kept()).toEqual([expect.stringMatching(/00000001\.seg.damaged$/)]);
  expect(readFileSync(path.join(parent, 'damaged', kept()[0] ?? ''))).toEqual(before);
  expect(problemTexts()).toEqual([expect.stringContaining(path.join(parent, 'damaged'))]);
  expect(warnings.map(([, { damaged }]) => damaged)).toEqual([undefined, 1]);
});

test('gives each session of the queue a gap for a block of NUL', () => {
  leave((seq) => (seq % 2 ? 'a' : 'b'));
  change(segment, (bytes) => bytes.fill(0, 4096, 8192));
  const { turns, gaps } = split(sendAll());
  const lost = { count: TURNS - turns, bound: 'atMost' };
  expect(new Set(gaps.map(({ session }) => session))).toEqual(new Set(['a', 'b']));
  expect(gaps).toMatchObject([lost, lost]);
});

test('puts the gap of the session that a damaged line seems to name in place, and others at the end', () => {
  leave((seq) => (seq % 2 ? 'a' : 'b'));
  change(segment, (bytes) => {
    bytes[bytes.indexOf('"seq":50,')] = 0x58;
  });
  expect(split(sendAll()).gaps).toMatchObject([
    { seq: 50, session: 'b', count: 1, bound: 'atMost' },
    { seq: 201, session: 'a', count: 1, bound: 'atMost' },
  ]);
});

test('notices a file that was cut in half, and counts at least the items that were appended', () => {
  leave();
  truncateSync(segment, Math.floor(readFileSync(segment).length / 2));
  const { turns, gaps } = split(sendAll());
  expect(turns).toBeGreaterThan(90);
  expect(gaps).toMatchObject([{ seq: TURNS, from: turns + 1, count: TURNS - turns, bound: 'atLeast' }]);
});

test('notices a cut file of a killed process', () => {
  leave(undefined, (queue) => {
    queue.sync();
    queue.append(JSON.stringify({ type: 'turn', seq: 201, session: 's', at: 1, usage: { input: 1 } }));
    queue.close = () => undefined;
    opened.push(queue);
  });
  rmSync(path.join(folder, 'lock'));
  truncateSync(segment, Math.floor(readFileSync(segment).length / 2));
  const { turns, gaps } = split(sendAll());
  expect(gaps).toMatchObject([{ count: TURNS - turns, bound: 'atLeast' }]);
});

test('counts only items that the server does not have', () => {
  leave(undefined, (queue) => queue.next(0, TURNS, 1e9));
  truncateSync(segment, Math.floor(readFileSync(segment).length / 2));
  const own = openOwnQueue(parent, identity, settings);
  opened.push(own);
  own.settle([[1, 150]]);
  const items = own.next(0, 1000, 1e9).map(({ json }) => JSON.parse(json));
  expect(items).toMatchObject([{ type: 'gap', seq: TURNS, from: 151, count: 50 }]);
  // Later items of the lost part may have been sent.
  expect(own.nextSeq).toBeGreaterThan(TURNS + 1);
});

test('records a loss only once', () => {
  leave();
  truncateSync(segment, Math.floor(readFileSync(segment).length / 2));
  const first = sendAll();
  for (const queue of opened) queue.close();
  expect(recoverQueue(folder)).toMatchObject({ lost: 0, items: first.length });
  expect(sendAll()).toEqual(first);
  expect(kept()).toHaveLength(1);
});

test.each([
  ['without a checksum', (): object => ({ settled: [[1, 100_000]], reservedThrough: 100_000 })],
  ['with another content', (old: object): object => ({ ...old, settled: [[1, 190]] })],
])('sends all items again if progress.json is beyond the end, %s', (_, edit) => {
  leave();
  const file = path.join(folder, 'progress.json');
  writeFileSync(file, JSON.stringify(edit(JSON.parse(readFileSync(file, 'utf8')))));
  expect(inspectQueues(parent)).toMatchObject([{ items: TURNS }]);
  expect(split(sendAll())).toEqual({ turns: TURNS, gaps: [] });
  expect(kept()).toEqual([expect.stringMatching(/progress\.json.damaged$/)]);
});

test('sends the items of an empty queue.json, which each segment repeats', () => {
  leave();
  writeFileSync(path.join(folder, 'queue.json'), '');
  expect(inspectQueues(parent)).toMatchObject([{ ...identity, items: TURNS }]);
  expect(split(sendAll())).toEqual({ turns: TURNS, gaps: [] });
  expect(kept()).toEqual([expect.stringMatching(/queue\.json.damaged$/)]);
  expect(JSON.parse(readFileSync(path.join(folder, 'queue.json'), 'utf8'))).toMatchObject(identity);
});

test('names a queue whose server is unknown', () => {
  leave();
  writeFileSync(path.join(folder, 'queue.json'), '');
  change(segment, (bytes) => bytes.fill(0x58, 0, 9));
  expect(sendAll()).toEqual([]);
  expect(problemTexts()).toEqual([
    `readable items in ${folder}: 200, not sent because queue.json is damaged`,
  ]);
});

test('leaves a queue of a later format alone, and names it', () => {
  leave();
  const content = JSON.stringify({ format: 2, place: 'elsewhere' });
  writeFileSync(path.join(folder, 'queue.json'), content);
  expect(sendAll()).toEqual([]);
  expect(readdirSync(folder).sort()).toEqual(['00000001.seg', 'progress.json', 'queue.json']);
  expect(problemTexts()).toEqual([`readable items in ${folder}: 200, written by a later version`]);
});

test('takes the items of an earlier version, without gaps for its settled segments', () => {
  leave();
  writeFileSync(
    path.join(folder, '00000007.seg'),
    readFileSync(segment).subarray(readFileSync(segment).indexOf('\n') + 1),
  );
  rmSync(segment);
  writeFileSync(
    path.join(folder, 'progress.json'),
    JSON.stringify({ settled: [[1, 20]], reservedThrough: 200 }),
  );
  expect(split(sendAll())).toEqual({ turns: 180, gaps: [] });
});

test('reports no loss for segments that a killed process had removed', () => {
  leave(undefined, (queue) => {
    for (let seq = TURNS + 1; seq <= 5000; seq += 1)
      queue.append(
        JSON.stringify({ type: 'turn', seq, session: 's'.repeat(99), at: 1, usage: { input: 1 } }),
      );
    queue.settle([[1, 4000]]);
    queue.close = () => undefined;
    opened.push(queue);
  });
  expect(recoverQueue(folder)).toMatchObject({ items: 1000, lost: 0 });
});
