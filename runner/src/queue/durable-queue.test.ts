import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toRanges } from '../../../core/protocol/ranges';
import type { DurableQueue } from './durable-queue';
import { adoptOrphans, inspectQueues, openOwnQueue } from './open-queue';
import type { QueueIdentity, QueueRecord } from './queue-files';

let parent: string;
let opened: DurableQueue[];
const url = 'ws://127.0.0.1:9/v1/ingest';
const identity: QueueIdentity = { url, project: 'p', runner: { name: 'r' }, source: 'sdk' };
const warnings: string[] = [];
const settings = { maxBytes: 1024 * 1024, now: 1, warn: (message: string) => warnings.push(message) };

beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'p4-queue-'));
  opened = [];
  warnings.length = 0;
});
afterEach(() => {
  for (const queue of opened) queue.close();
  // The next segment's file may not be in the folder yet.
  rmSync(parent, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
});

function openOwn(change: Partial<QueueIdentity> = {}, maxBytes = settings.maxBytes): DurableQueue {
  const queue = openOwnQueue(parent, { ...identity, ...change }, { ...settings, maxBytes });
  opened.push(queue);
  return queue;
}

function hand(queue: DurableQueue, fields: object = {}): number {
  const seq = queue.nextSeq;
  const item = { type: 'turn', seq, session: 's', at: 1, usage: { input: 1 }, ...fields };
  queue.append(JSON.stringify(item));
  return seq;
}

/** A closed queue with this many items. */
function leave(count: number, fields: object = {}, maxBytes = settings.maxBytes): DurableQueue {
  const queue = openOwn({}, maxBytes);
  for (let i = 0; i < count; i += 1) hand(queue, fields);
  queue.close();
  return queue;
}

/** All items to send, read as a sender does. */
function readAll(queue: DurableQueue, maxItems = 100): QueueRecord[] {
  const all: QueueRecord[] = [];
  for (;;) {
    const batch = queue.next(all.at(-1)?.seq ?? 0, maxItems, 1e9);
    if (batch.length === 0) return all;
    all.push(...batch);
  }
}
const seqs = (records: QueueRecord[]) => records.map(({ seq }) => seq);
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

test('keeps the order of items across segments', () => {
  const queue = openOwn();
  for (let i = 0; i < 5000; i += 1) hand(queue, { call: `a-rather-long-call-id-${i}` });
  expect(queue.pending).toBe(5000);
  expect(seqs(readAll(queue))).toEqual(upTo(5000));
});

test('removes settled segments and keeps its next seq', () => {
  const queue = openOwn();
  for (let i = 0; i < 5000; i += 1) hand(queue, { call: `a-rather-long-call-id-${i}` });
  const folder = path.join(parent, queue.stream);
  const before = readdirSync(folder).length;
  expect(queue.settle([[1, 4999]])).toBe(4999);
  expect(queue.outstanding()).toEqual([[5000, 5000]]);
  expect(readdirSync(folder).length).toBeLessThan(before);
  expect(hand(queue)).toBe(5001);
});

test('settles items in any order', () => {
  const queue = openOwn();
  for (let i = 0; i < 10; i += 1) hand(queue);
  queue.settle(toRanges([2, 3, 7]));
  expect(queue.outstanding()).toEqual(toRanges([1, 4, 5, 6, 8, 9, 10]));
  expect(queue.pending).toBe(7);
  expect(queue.settle([[1, 10]])).toBe(7);
});

test('recovers unsettled items in the same stream', () => {
  const first = openOwn();
  for (let i = 0; i < 6; i += 1) hand(first);
  first.settle(toRanges([1, 2, 4]));
  first.close();
  const second = openOwn();
  expect(second.stream).toBe(first.stream);
  expect(hand(second)).toBe(7);
  expect(seqs(readAll(second))).toEqual([3, 5, 6, 7]);
});

test('reads a large backlog from the disk piece by piece', () => {
  leave(30_000, { call: 'c'.repeat(300) }, 64 * 1024 * 1024);
  const second = openOwn({}, 64 * 1024 * 1024);
  expect(second.pending).toBe(30_000);
  expect(seqs(readAll(second, 500))).toEqual(upTo(30_000));
});

test('removes an empty queue and starts a new stream', () => {
  const first = openOwn();
  hand(first);
  first.settle([[1, 1]]);
  first.close();
  expect(readdirSync(parent)).toEqual([]);
  const second = openOwn();
  expect(second.stream).not.toBe(first.stream);
  expect(second.nextSeq).toBe(1);
});

test('gives a second process its own queue', () => {
  const first = openOwn();
  const second = openOwn();
  expect(second.stream).not.toBe(first.stream);
  hand(first);
  hand(second);
  const one = expect.objectContaining({ items: 1, inUse: true });
  expect(inspectQueues(parent)).toEqual([one, one]);
});

test('adopts queues of other runners for the same server only', () => {
  const other = openOwn({ runner: { name: 'other' } });
  const elsewhere = openOwn({ url: 'ws://127.0.0.1:10/v1/ingest' });
  for (const queue of [other, elsewhere]) {
    hand(queue);
    queue.close();
  }
  const own = openOwn();
  expect([other.stream, elsewhere.stream]).not.toContain(own.stream);
  const adopted = adoptOrphans(parent, identity.url, settings);
  opened.push(...adopted);
  expect(adopted.map(({ stream, identity: its }) => [stream, its.runner.name])).toEqual([
    [other.stream, 'other'],
  ]);
});

test('replaces an incomplete last record by a gap', () => {
  const { stream } = leave(3);
  appendFileSync(path.join(parent, stream, '00000001.seg'), '0123abcd {"type":"turn","seq":4,"ses');
  const second = openOwn();
  expect(hand(second)).toBe(5);
  const left = readAll(second);
  expect(seqs(left)).toEqual(upTo(5));
  expect(JSON.parse(left[3]?.json ?? '')).toMatchObject({ type: 'gap', count: 1, bound: 'atLeast' });
});

test('does not reuse the seqs of a stream after a power loss', () => {
  const first = leave(1);
  const lock = { pid: 4_194_305, host: 'h', started: '1', boot: 'an earlier boot' };
  writeFileSync(path.join(parent, first.stream, 'lock'), JSON.stringify({ ...lock, host: hostname() }));
  const second = openOwn();
  expect(second.stream).not.toBe(first.stream);
  const adopted = adoptOrphans(parent, identity.url, settings);
  opened.push(...adopted);
  expect(adopted.map(({ stream }) => stream)).toEqual([first.stream]);
});

test('stays within its bound and counts dropped turns in gaps', () => {
  const queue = openOwn();
  hand(queue, { type: 'session_start' });
  for (let i = 0; i < 20_000; i += 1) hand(queue, { session: i % 2 ? 's' : 't', call: 'c'.repeat(100) });
  expect(queue.bytes).toBeLessThan(1.1 * 1024 * 1024);
  const left = readAll(queue).map(({ json }) => JSON.parse(json));
  const turns = left.filter(({ type }) => type === 'turn');
  const gaps = left.filter(({ type }) => type === 'gap');
  expect(left[0]).toMatchObject({ type: 'session_start', seq: 1 });
  expect(gaps).toHaveLength(2);
  expect(gaps.reduce((sum, { count }) => sum + count, 0)).toBe(queue.dropped);
  expect(turns.length + queue.dropped).toBe(20_000);
  expect(turns.at(-1)).toMatchObject({ seq: 20_001 });
  // The stream keeps its order: a gap precedes the items that followed the dropped turns.
  expect(Math.max(...gaps.map(({ seq }) => seq))).toBeLessThan(turns[0].seq);
});

test('never replaces an item that may have been sent', () => {
  const queue = openOwn();
  for (let i = 0; i < 100; i += 1) hand(queue);
  queue.next(0, 50, 1e9);
  for (let i = 0; i < 30_000; i += 1) hand(queue, { call: 'c'.repeat(100) });
  const left = readAll(queue).map(({ json }) => JSON.parse(json));
  expect(left.slice(0, 50).map(({ type, seq }) => [type, seq])).toEqual(upTo(50).map((seq) => ['turn', seq]));
  expect(queue.dropped).toBeGreaterThan(0);
});

test('merges gaps while the queue stays full', () => {
  const queue = openOwn();
  for (let i = 0; i < 60_000; i += 1) hand(queue, { call: 'c'.repeat(100) });
  const gaps = readAll(queue).filter(({ json }) => json.includes('"gap"'));
  expect(gaps.length).toBeLessThanOrEqual(2);
});

test('recovers a full queue', () => {
  const first = openOwn();
  for (let i = 0; i < 20_000; i += 1) hand(first, { call: 'c'.repeat(100) });
  const before = readAll(first);
  first.close();
  const second = openOwn();
  expect(seqs(readAll(second))).toEqual(seqs(before));
});

test('works in memory without a folder, with a warning', () => {
  const file = path.join(parent, 'file');
  writeFileSync(file, '');
  const queue = openOwnQueue(file, identity, settings);
  for (let i = 0; i < 20_000; i += 1) hand(queue, { call: 'c'.repeat(100) });
  expect(queue.durable).toBe(false);
  expect(warnings).toHaveLength(1);
  expect(queue.bytes).toBeLessThan(1.1 * 1024 * 1024);
  expect(readAll(queue).at(-1)?.seq).toBe(20_000);
});

test('continues without a segment that became unreadable', () => {
  const queue = openOwn({}, 64 * 1024 * 1024);
  for (let i = 0; i < 30_000; i += 1) hand(queue, { call: 'c'.repeat(300) });
  // The first items are still in memory.
  for (const id of [6, 7]) writeFileSync(path.join(parent, queue.stream, `0000000${id}.seg`), 'noise\n');
  const left = readAll(queue);
  expect(left.length).toBeGreaterThan(20_000);
  expect(left.filter(({ json }) => json.includes('"gap"'))).toHaveLength(2);
  expect(queue.pending).toBe(left.length);
  expect(queue.settle([[1, 30_000]])).toBe(left.length);
});
