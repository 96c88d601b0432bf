/** No frame may end the server, or prevent another valid item from being stored. */

import pino from 'pino';
import { expect, test } from 'vitest';
import { itemSchema } from '../../core/protocol/items';
import { PROTOCOL_LIMITS } from '../../core/protocol/limits';
import type { Ack, ServerMessage } from '../../core/protocol/messages';
import { inRanges } from '../../core/protocol/ranges';
import { fc } from '../../core/testing/property-runs';
import { waitingBytes } from '../metrics';
import { createCommitPump } from './commit-pump';
import { createRunnerSession } from './runner-session';
import { MemoryStore } from './testing/memory-store';

const stream = '3f8e9a52-7a54-4bfa-9d2a-0a3f3a3f0001';
const hello = { type: 'hello', v: 1, token: 't', project: 'p', runner: { name: 'r' }, stream };

async function converse(frames: string[]) {
  const store = new MemoryStore();
  const said: ServerMessage[] = [];
  const closed: number[] = [];
  const pump = createCommitPump({ record: store.record, log: pino({ level: 'silent' }) });
  const session = createRunnerSession(
    {
      pump,
      authorizeToken: () =>
        Promise.resolve({ ok: true, actor: { name: 't', grants: [{ rights: ['ingest'], project: null }] } }),
      openStream: store.openStream,
      server: { name: 'b', version: '0', epoch: 'e' },
      limits: PROTOCOL_LIMITS,
      now: () => 1,
      headerToken: null,
    },
    {
      send: (message) => said.push(message),
      close: (code) => closed.push(code),
      pause: () => undefined,
      resume: () => undefined,
    },
  );
  for (const frame of frames) await session.receive(frame);
  return { store, said, closed };
}

const NAMES =
  'type seq session at usage input chain turn reading gap hello restart session_start __proto__ constructor toString';
const words = fc.constantFrom(
  ...`${NAMES} limit count contextTokens`.split(' '),
  ...['\u0000', '\ud800', ''],
);
const scalar = fc.oneof(
  words,
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  fc.string({ unit: 'binary' }),
);
const junk = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(words, tie('value'), { maxKeys: 6 }),
  ),
})).value;
/** An item with arbitrary values in its fields. */
const nearlyItem = fc.record(
  {
    type: fc.constantFrom(...'turn reading restart compaction session_start gap clear archive'.split(' ')),
    seq: fc.oneof(fc.integer({ min: 1, max: 50 }), junk),
    session: fc.oneof(fc.constantFrom('s', 't'), junk),
    at: fc.oneof(fc.integer({ min: 0, max: 1e12 }), junk),
    usage: junk,
    contextTokens: junk,
    count: junk,
    trigger: junk,
    state: junk,
    title: junk,
  },
  { requiredKeys: ['type'] },
);

test('any text is answered or closes the connection, and never throws', async () => {
  const junkText = junk.map((value) => JSON.stringify(value));
  const texts = fc.array(fc.oneof(fc.string(), fc.json(), junkText), { maxLength: 4 });
  const answersOnce = fc.asyncProperty(texts, async (frames) => {
    expect((await converse(frames)).closed.length).toBeLessThanOrEqual(1);
  });
  await fc.assert(answersOnce, { numRuns: 500 });
});

/** Expects that each valid item of a frame is stored, and each invalid one is refused by its index. */
async function expectSorted(text: string): Promise<void> {
  const read = JSON.parse(text) as unknown[];
  const { store, said, closed } = await converse([JSON.stringify(hello), text]);
  expect(closed).toEqual([]);
  const ack = said.find((message): message is Ack => message.type === 'ack');
  const stored = store.items.get(stream) ?? new Map<number, string>();
  const refused = new Map(ack?.refused.map(({ index, code }) => [index, code]));
  const wrong = read.filter((value, index) => {
    const good = itemSchema.safeParse(value);
    if (!good.success) return !refused.has(index);
    if (!inRanges(ack?.settled ?? [], good.data.seq)) return true;
    // A valid item is refused only if an earlier item has the same seq.
    return refused.has(index) ? refused.get(index) !== 'seq_conflict' : !stored.has(good.data.seq);
  });
  expect(wrong).toEqual([]);
}

const isHello = (value: unknown) => (value as { type?: unknown } | null)?.type === 'hello';

test('stores every valid item among invalid ones, and refuses each invalid item by its index', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(junk, nearlyItem), { maxLength: 12 }), async (values) => {
      fc.pre(!values.some(isHello));
      await expectSorted(JSON.stringify(values));
    }),
    { numRuns: 500 },
  );
});

/** `npm run fuzz` sends a million. */
const MESSAGES = Number(process.env.FUZZ_MESSAGES ?? 10_000);
const FRAME = 50;

/** Bytes that all pumps of this process still count as waiting. */
async function bytesWaiting(): Promise<number> {
  return (await waitingBytes.get()).values.reduce((sum, { value }) => sum + value, 0);
}

test(`answers ${MESSAGES} changed messages, and keeps none of their bytes`, async () => {
  const seed = Number(process.env.FUZZ_SEED ?? 18);
  const parts = fc.sample(fc.oneof(junk, nearlyItem), { numRuns: 2_000, seed }).flatMap((value) => {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined || isHello(value) ? [] : [text];
  });
  let state = seed;
  /** A linear congruential generator: the same seed sends the same messages. */
  const below = (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const pick = () => parts[below(parts.length)] ?? '';
  const change = (text: string): string => {
    const at = below(text.length + 1);
    const byte = String.fromCharCode(below(256));
    const ways = [
      () => text,
      () => text.slice(0, at) + byte + text.slice(at + 1),
      () => text.slice(0, at) + pick() + text.slice(at),
      () => text.replace(/[\d.]+/, ['1e308', '-0', '9007199254740993', '1.5', '01'][below(5)] ?? ''),
      () => text.replace(/"[^"]*"/, pick),
    ];
    return ways[below(ways.length)]?.() ?? text;
  };
  const isJson = (text: string) => {
    try {
      return !isHello(JSON.parse(text));
    } catch {
      return false;
    }
  };
  const before = await bytesWaiting();
  for (let sent = 0; sent < MESSAGES; sent += FRAME) {
    const messages = Array.from({ length: FRAME }, () => change(pick()));
    const { closed } = await converse([`[${JSON.stringify(hello)},${messages.join()}]`]);
    expect(closed.length).toBeLessThanOrEqual(1);
    await expectSorted(`[${messages.filter(isJson).join()}]`);
  }
  expect(await bytesWaiting()).toBe(before);
}, 3_600_000);
