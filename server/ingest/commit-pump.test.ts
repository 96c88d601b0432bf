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

test('gives each sender its turn, and keeps the order of its deliveries', async () => {
  const { store, pump } = setUp({ maxItemsPerCommit: 2 });
  const open = closeGate(store);
  const of = (sender: string, seq: number): Delivery => {
    const { stream: own, ...rest } = delivery(`${sender}-${seq}`, seq);
    return { ...rest, stream: { ...own, sender } };
  };
  const answers = [pump.submit(of('first', 1), 1)];
  for (let seq = 2; seq <= 9; seq += 1) answers.push(pump.submit(of('busy', seq), 1));
  answers.push(pump.submit(of('other', 20), 1));
  open();
  await Promise.all(answers);
  const seqs = store.commits.map((items) => items.map(({ seq }) => seq));
  expect(seqs).toEqual([[1], [2, 20], [3, 4], [5, 6], [7, 8], [9]]);
});

test('answers other senders while it searches for an item that the database refuses', async () => {
  let find: () => void = () => undefined;
  const search = new Promise<void>((resolve) => {
    find = resolve;
  });
  const stored: ItemOutcome = { outcome: 'stored' };
  const commits: string[] = [];
  const record = async (deliveries: readonly Delivery[], { defers }: { defers: boolean }) => {
    const names = deliveries.map(({ stream: { stream: name } }) => name);
    commits.push(`${names}${defers ? '' : ' apart'}`);
    const deferred = new Set([...names.keys()].filter((index) => defers && names[index] === 'bad'));
    if (!defers) await search;
    const outcomes = deliveries.map(({ items }, index) =>
      deferred.has(index) ? [] : items.map(() => stored),
    );
    return { outcomes, deferred, touched: [] };
  };
  const pump = createCommitPump({ record, log });
  const bad = [pump.submit(delivery('bad', 1), 1)];
  expect(await pump.submit(delivery('good', 1), 1)).toEqual([stored]);
  bad.push(pump.submit(delivery('bad', 2), 1));
  expect(await pump.submit(delivery('good', 2), 1)).toEqual([stored]);
  find();
  expect(await Promise.all(bad)).toEqual([[stored], [stored]]);
  expect(commits).toEqual(['bad', 'good', 'bad apart', 'good', 'bad apart']);
  await pump.idle();
});

test('keeps the order of a sender with a delivery that is recorded apart', async () => {
  const seqs: number[] = [];
  const stored: ItemOutcome = { outcome: 'stored' };
  const record = async (deliveries: readonly Delivery[], { defers }: { defers: boolean }) => {
    const isBad = ({ items }: Delivery) => defers && items[0]?.seq === 1;
    const deferred = new Set([...deliveries.keys()].filter((index) => isBad(deliveries[index] as Delivery)));
    if (!defers) await new Promise(setImmediate);
    for (const each of deliveries) if (!isBad(each)) seqs.push(...each.items.map(({ seq }) => seq));
    return { outcomes: deliveries.map(({ items }) => items.map(() => stored)), deferred, touched: [] };
  };
  const pump = createCommitPump({ record, log, maxItemsPerCommit: 1 });
  await Promise.all([1, 2, 3].map((seq) => pump.submit(delivery('bad', seq), 1)));
  expect(seqs).toEqual([1, 2, 3]);
});

test('keeps a sender apart for a while after an item that the database refuses', async () => {
  const together: string[] = [];
  const record = async (deliveries: readonly Delivery[], { defers }: { defers: boolean }) => {
    const names = deliveries.map(({ stream: { stream: name } }) => name);
    if (defers) together.push(...names);
    const deferred = new Set([...names.keys()].filter((index) => defers && names[index] === 'bad'));
    return { outcomes: deliveries.map(({ items }) => items.map(() => stored)), deferred, touched: [] };
  };
  const stored: ItemOutcome = { outcome: 'stored' };
  const pump = createCommitPump({ record, log });
  for (const [name, seq] of [
    ['good', 1],
    ['bad', 1],
    ['bad', 2],
    ['good', 2],
  ] as const)
    await pump.submit(delivery(name, seq), 1);
  expect(together).toEqual(['good', 'bad', 'good']);
});

test('gives the senders that are recorded apart their turns, and answers each if the database fails', async () => {
  const names: string[] = [];
  const record = async (deliveries: readonly Delivery[], { defers }: { defers: boolean }) => {
    if (defers)
      return { outcomes: deliveries.map(() => []), deferred: new Set(deliveries.keys()), touched: [] };
    await new Promise(setImmediate);
    names.push(deliveries.map(({ stream: { stream: name } }) => name).join(' '));
    if (names.length === 1) throw new Error('a bug');
    if (names.length === 2) throw fault('53100');
    const stored: ItemOutcome = { outcome: 'stored' };
    return { outcomes: deliveries.map(({ items }) => items.map(() => stored)), touched: [] };
  };
  const pump = createCommitPump({ record, log });
  const answers = [1, 2, 3].map((seq) => pump.submit(delivery('busy', seq), 1));
  answers.push(pump.submit(delivery('other', 1), 1));
  const results = await Promise.allSettled(answers);
  expect(names).toEqual(['busy busy busy', 'busy', 'busy', 'busy', 'other']);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  await pump.idle();
  expect(await pump.submit(delivery('busy', 4), 1)).toEqual([{ outcome: 'stored' }]);
});

test('reserves bytes before a body is read, and half of them for one sender at most', async () => {
  const { store, pump } = setUp({ maxWaitingBytes: 100 });
  const first = pump.reserve('one', 40);
  const second = pump.reserve('one', 40);
  expect([first === null, second, pump.reserve('two', 50) === null]).toEqual([false, null, false]);
  // Reserved bytes do not count again while they wait.
  const open = closeGate(store);
  const answer = first?.submit(delivery('a', 1), 40);
  expect(pump.hasRoom()).toBe(true);
  open();
  await answer;
  expect([pump.reserve('three', 20) === null, pump.hasRoom(), pump.reserve('four', 1)]).toEqual([
    false,
    false,
    null,
  ]);
  first?.release();
  first?.release();
  expect([pump.hasRoom(), pump.reserve('one', 40) === null]).toEqual([true, false]);
});

test('records large deliveries in slices while another sender is active, and alone at once', async () => {
  const { store, pump } = setUp();
  const large = (from: number) => delivery('a', ...Array.from({ length: 600 }, (_, index) => from + index));
  await pump.submit(large(1), 1);
  await pump.submit(delivery('b', 1), 1);
  store.commits.length = 0;
  const [outcomes] = await Promise.all([pump.submit(large(1_001), 1), pump.submit(delivery('b', 2), 1)]);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(600).fill('stored'));
  expect(store.commits.map((items) => items.length).sort()).toEqual([1, 100, 100, 100, 100, 100, 100]);
});

test('records a delivery that waits before a larger one of its sender', async () => {
  const { store, pump } = setUp();
  await pump.submit(delivery('a', 1), 1);
  const open = closeGate(store);
  const large = delivery('a', ...Array.from({ length: 300 }, (_, index) => 100 + index));
  const answers = [delivery('b', 1), delivery('a', 2), large].map((each) => pump.submit(each, 1));
  open();
  await Promise.all(answers);
  const own = store.commits.map((items) => items.map(({ seq }) => seq)).filter(([seq]) => seq !== 1);
  expect(own.map((seqs) => seqs.length)).toEqual([100, 100, 100, 1]);
  expect(own.flat()).toEqual([2, ...large.items.map(({ seq }) => seq)]);
});

test.each([1, 101])('keeps the order of deferred deliveries before a later one of %i items', async (size) => {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const stored: ItemOutcome = { outcome: 'stored' };
  const seqs: number[] = [];
  const record = async (deliveries: readonly Delivery[], { defers }: { defers: boolean }) => {
    const isLate = ({ stream }: Delivery) => defers && stream.stream === 'late';
    if (deliveries.some(isLate)) await gate;
    const deferred = new Set([...deliveries.keys()].filter((index) => isLate(deliveries[index] as Delivery)));
    for (const { stream, items } of defers ? [] : deliveries)
      if (stream.stream === 'late') seqs.push(...items.map(({ seq }) => seq));
    return { outcomes: deliveries.map(({ items }) => items.map(() => stored)), deferred, touched: [] };
  };
  const pump = createCommitPump({ record, log });
  const answers = [delivery('other', 1), delivery('late', 1), delivery('late', 2)].map((each) =>
    pump.submit(each, 1),
  );
  await answers[0];
  // The next batch has the two deliveries now.
  await new Promise(setImmediate);
  const later = Array.from({ length: size }, (_, index) => 3 + index);
  answers.push(pump.submit(delivery('late', ...later), 1));
  open();
  await Promise.all(answers);
  expect(seqs).toEqual([1, 2, ...later]);
});

test('records a slow sender in batches, and only once, while it sends alone', async () => {
  const commits: string[] = [];
  const stored: ItemOutcome = { outcome: 'stored' };
  const record = async (deliveries: readonly Delivery[], { defers }: { defers: boolean }) => {
    commits.push(`${deliveries.map(({ items }) => items[0]?.seq)}${defers ? ' defers' : ''}`);
    const deferred = new Set(defers ? deliveries.keys() : []);
    return { outcomes: deliveries.map(({ items }) => items.map(() => stored)), deferred, touched: [] };
  };
  const pump = createCommitPump({ record, log });
  for (const seq of [1, 2, 3]) await pump.submit(delivery('late', seq), 1);
  expect(commits).toEqual(['1 defers', '1', '2', '3']);
});

test('records each delivery once that arrives while a batch delays the next slice', async () => {
  const store = new MemoryStore();
  const seqs: number[] = [];
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const pump = createCommitPump({
    log,
    async record(deliveries, { defers }) {
      const own = deliveries.flatMap(({ items }) => items.map(({ seq }) => seq));
      if (defers && own.includes(1)) return { outcomes: [[]], deferred: new Set([0]), touched: [] };
      if (defers && own.includes(2)) await gate;
      if (!defers) seqs.push(...own);
      if (!defers) for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      return store.record(deliveries);
    },
  });
  await pump.submit(delivery('a', 1), 1);
  await pump.idle();
  const batch = pump.submit(delivery('b', 2), 1);
  const answers = [10, 20, 30, 40].map((seq) => pump.submit(delivery('a', seq), 1));
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  open();
  await Promise.all([batch, ...answers]);
  expect(seqs).toEqual([1, 10, 20, 30, 40]);
});
