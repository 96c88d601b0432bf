import pino from 'pino';
import { expect, test } from 'vitest';
import type { TurnItem } from '../../core/protocol/items';
import type { Delivery, ItemOutcome, OpenStream } from '../../db/ingest/types';
import { createCommitPump, StorageUnavailableError } from './commit-pump';
import { MemoryStore } from './testing/memory-store';

const log = pino({ level: 'silent' });
const stream = (id: string): OpenStream => ({
  streamId: 1,
  stream: id,
  projectId: 1,
  projectRank: 0,
  client: null,
  project: 'p',
  runnerId: 1,
  source: 'sdk',
  received: [],
});
const turn = (seq: number): TurnItem => ({ type: 'turn', seq, session: 's', at: 1 });
const delivery = (id: string, ...seqs: number[]): Delivery => ({
  stream: stream(id),
  items: seqs.map(turn),
  receivedAt: 1,
});
const fault = (code: string) => Object.assign(new Error(code), { code });

function setUp(options: { maxItemsPerCommit?: number; maxWaitingBytes?: number } = {}) {
  const store = new MemoryStore();
  const pump = createCommitPump({ record: store.record, log, ...options });
  return { store, pump };
}

/** Delays commits until the returned function is called. */
function closeGate(store: MemoryStore): () => void {
  let open: () => void = () => undefined;
  store.gate = new Promise((resolve) => {
    open = () => {
      store.gate = null;
      resolve();
    };
  });
  return open;
}

test('writes at once when idle, and commits deliveries that wait together', async () => {
  const { store, pump } = setUp();
  const open = closeGate(store);
  const answers = [pump.submit(delivery('a', 1), 10)];
  for (let seq = 2; seq <= 50; seq += 1) answers.push(pump.submit(delivery(`stream-${seq}`, seq), 10));
  open();
  await Promise.all(answers);
  expect(store.commits.map((items) => items.length)).toEqual([1, 49]);
});

test('limits the items of a commit, and commits a larger delivery alone', async () => {
  const { store, pump } = setUp({ maxItemsPerCommit: 3 });
  const open = closeGate(store);
  const answers = [
    pump.submit(delivery('a', 1), 1),
    pump.submit(delivery('a', 2, 3), 1),
    pump.submit(delivery('a', 4, 5), 1),
    pump.submit(delivery('a', 6, 7, 8, 9, 10), 1),
  ];
  open();
  await Promise.all(answers);
  expect(store.commits.map((items) => items.length)).toEqual([1, 2, 2, 5]);
});

test('resolves every delivery with the outcomes of its own items', async () => {
  const { store, pump } = setUp();
  await pump.submit(delivery('a', 2), 1);
  const open = closeGate(store);
  const first = pump.submit(delivery('b', 1), 1);
  const second = pump.submit(delivery('a', 1, 2, 3), 1);
  const third = pump.submit(delivery('c', 1), 1);
  open();
  expect((await first).map(({ outcome }) => outcome)).toEqual(['stored']);
  expect((await second).map(({ outcome }) => outcome)).toEqual(['stored', 'duplicate', 'stored']);
  expect((await third).map(({ outcome }) => outcome)).toEqual(['stored']);
});

test('has no room beyond its limit, and calls back when there is room again', async () => {
  const { store, pump } = setUp({ maxWaitingBytes: 100 });
  const open = closeGate(store);
  const answer = pump.submit(delivery('a', 1), 200);
  expect(pump.hasRoom()).toBe(false);
  let called = 0;
  pump.whenRoom(() => {
    called += 1;
  });
  expect(called).toBe(0);
  open();
  await answer;
  await pump.idle();
  expect([called, pump.hasRoom()]).toEqual([1, true]);
});

test.each(['ECONNREFUSED', 'CONNECTION_CLOSED', '57P01', '53100', '08006', '40P01'])(
  'rejects the delivery while the database is unavailable (%s), and stores the next one',
  async (code) => {
    const { store, pump } = setUp();
    store.failures.push(fault(code));
    await expect(pump.submit(delivery('a', 1), 1)).rejects.toThrow(StorageUnavailableError);
    expect(await pump.submit(delivery('a', 1), 1)).toEqual([{ outcome: 'stored' }]);
  },
);

test('rejects only the delivery that causes a server error, and stores all others', async () => {
  const { store, pump } = setUp();
  store.failOn = (item) => (item.seq === 3 ? new Error('a bug') : null);
  const open = closeGate(store);
  const answers = [1, 2, 3, 4, 5].map((seq) => pump.submit(delivery(`s${seq}`, seq), 1));
  open();
  const results = await Promise.allSettled(answers);
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
});

test('logs the reason of an item that could not be stored', async () => {
  const lines: string[] = [];
  const refused: ItemOutcome = { outcome: 'refused', code: 'unstorable', field: '', reason: 'duplicate key' };
  const record = () => Promise.resolve({ outcomes: [[refused]], touched: [] });
  const pump = createCommitPump({ record, log: pino({}, { write: (line) => lines.push(line) }) });
  expect(await pump.submit(delivery('a', 7), 1)).toEqual([refused]);
  const [line] = lines.map((text) => JSON.parse(text) as object);
  expect(line).toMatchObject({ level: 50, type: 'turn', seq: 7, reason: 'duplicate key' });
});
