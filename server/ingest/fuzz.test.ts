/** No frame may end the server, or prevent another valid item from being stored. */
import fc from 'fast-check';
import pino from 'pino';
import { expect, test } from 'vitest';
import { itemSchema } from '../../core/protocol/items';
import { PROTOCOL_LIMITS } from '../../core/protocol/limits';
import type { Ack, ServerMessage } from '../../core/protocol/messages';
import { inRanges } from '../../core/protocol/ranges';
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
      authorizeToken: () => Promise.resolve({ ok: true, name: 't', project: null }),
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

test('stores every valid item among invalid ones, and refuses each invalid item by its index', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(junk, nearlyItem), { maxLength: 12 }), async (values) => {
      const text = JSON.stringify(values);
      const read = JSON.parse(text) as unknown[];
      fc.pre(!read.some((value) => (value as { type?: unknown } | null)?.type === 'hello'));
      const { store, said, closed } = await converse([JSON.stringify(hello), text]);
      expect(closed).toEqual([]);
      const ack = said.find((message): message is Ack => message.type === 'ack');
      const stored = store.items.get(stream) ?? new Map<number, string>();
      const refused = new Set(ack?.refused.map(({ index }) => index));
      for (const [index, value] of read.entries()) {
        const good = itemSchema.safeParse(value);
        if (!good.success) expect(refused.has(index)).toBe(true);
        else if (!refused.has(index)) expect(stored.has(good.data.seq)).toBe(true);
        // A valid item is refused only if an earlier item has the same seq.
        else expect(ack?.refused.find((one) => one.index === index)?.code).toBe('seq_conflict');
        if (good.success) expect(inRanges(ack?.settled ?? [], good.data.seq)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
