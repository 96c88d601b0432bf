import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type ConversationServer,
  GOOD_TOKEN,
  READ_TOKEN,
  startConversationServer,
} from './testing/conversation-server';
import { MemoryStore } from './testing/memory-store';
import { type Talk, talkOverHttp, talkOverWebSocket } from './testing/talk';

const store = new MemoryStore();
let server: ConversationServer;
beforeAll(async () => {
  server = await startConversationServer(store, { maxFrameBytes: 200_000, maxItemsPerFrame: 50 });
});
afterAll(() => server.close());
beforeEach(() => {
  store.items.clear();
  store.commits.length = 0;
  store.failures.length = 0;
  store.failOn = () => null;
});

const stream = '3f8e9a52-7a54-4bfa-9d2a-0a3f3a3f0001';
const hello = (change: object = {}) => ({
  type: 'hello',
  v: 1,
  token: GOOD_TOKEN,
  project: 'p',
  runner: { name: 'r' },
  stream,
  ...change,
});
const turn = (seq: unknown, change: object = {}) => ({
  type: 'turn',
  seq,
  session: 's',
  at: 1,
  usage: { input: 1, output: 2 },
  ...change,
});
const storedSeqs = () => [...(store.items.get(stream)?.keys() ?? [])];
const storedTypes = () => [...(store.items.get(stream)?.values() ?? [])].map((text) => JSON.parse(text).type);

const transports: Array<[name: string, talk: Talk, codes: (close: number, status: number) => number]> = [
  ['WebSocket', talkOverWebSocket, (close) => close],
  ['HTTP', talkOverHttp, (_, status) => status],
];

describe.each(transports)('over %s', (_name, talk, codeOf) => {
  const say = (...messages: unknown[]) => talk(server.url, JSON.stringify(messages));

  test('acknowledges items after they are stored', async () => {
    const { ack } = await say(hello(), turn(1), turn(2), {
      type: 'session_end',
      seq: 3,
      session: 's',
      at: 2,
    });
    expect(ack).toEqual({ type: 'ack', settled: [[1, 3]], duplicate: [], amended: [], refused: [] });
    expect(storedSeqs()).toEqual([1, 2, 3]);
  });

  test('acknowledges a resend as a duplicate, and refuses other content under its seq', async () => {
    await say(hello(), turn(1), turn(2));
    const { ack } = await say(hello(), turn(1), turn(2, { usage: { input: 99 } }), turn(3));
    expect(ack).toMatchObject({ settled: [[1, 3]], duplicate: [1] });
    expect(ack?.refused).toMatchObject([{ seq: 2, index: 2, code: 'seq_conflict' }]);
  });

  test('refuses one invalid item with its field, and stores its neighbours', async () => {
    const { ack } = await say(hello(), turn(1), { type: 'reading', seq: 2, session: 's', at: 1 }, turn(3));
    expect(ack).toMatchObject({ settled: [[1, 3]] });
    expect(ack?.refused).toMatchObject([{ seq: 2, index: 2, code: 'invalid_count', field: 'contextTokens' }]);
    expect(storedSeqs()).toEqual([1, 3]);
  });

  test('stores a gap in place of a refused turn', async () => {
    const { ack } = await say(hello(), turn(1), turn(2, { usage: { input: 0.5 } }), turn(3));
    expect(ack?.refused).toMatchObject([{ seq: 2, index: 2, code: 'invalid_count', field: 'usage.input' }]);
    expect(storedTypes()).toEqual(['turn', 'gap', 'turn']);
    const again = await say(hello(), turn(2, { usage: { input: 0.5 } }));
    expect(again.ack).toMatchObject({ settled: [[2, 2]], refused: [{ seq: 2, code: 'invalid_count' }] });
  });

  test.each<[string, unknown, code: string, field: string, seq?: number]>([
    ['a fraction', turn(1, { usage: { input: 1.5 } }), 'invalid_count', 'usage.input', 1],
    ['a string for a count', turn(1, { usage: { output: '5' } }), 'invalid_count', 'usage.output', 1],
    ['2^53', turn(1, { usage: { cacheRead: 2 ** 53 } }), 'invalid_count', 'usage.cacheRead', 1],
    ['a negative reading', turn(1, { contextTokens: -1 }), 'invalid_count', 'contextTokens', 1],
    ['a NUL in a key', turn(1, { session: 'a\u0000b' }), 'invalid_field', 'session', 1],
    ['half of a surrogate pair', turn(1, { model: '\ud83d' }), 'invalid_field', 'model', 1],
    ['a key that is too long', turn(1, { session: 'x'.repeat(401) }), 'invalid_field', 'session', 1],
    ['a time beyond the year 9999', turn(1, { at: 1e300 }), 'invalid_field', 'at', 1],
    ['a seq of 0', turn(0), 'invalid_field', 'seq'],
    ['a seq that is no number', turn('1'), 'invalid_field', 'seq'],
    ['an unknown type', { type: 'spell', seq: 1 }, 'invalid_message', 'type', 1],
    ['a type that is a prototype key', { type: '__proto__', seq: 1 }, 'invalid_message', 'type', 1],
    ['a type that is a method name', { type: 'constructor', seq: 1 }, 'invalid_message', 'type', 1],
    ['a number', 7, 'invalid_message', ''],
    ['null', null, 'invalid_message', ''],
    ['a list', [], 'invalid_message', ''],
  ])('refuses %s and stores its neighbours', async (_what, item, code, field, seq) => {
    const { ack } = await say(hello(), item, turn(9));
    expect(ack?.refused).toMatchObject([{ index: 1, code, field, seq: seq ?? null }]);
    expect(storedSeqs()).toContain(9);
  });

  test('stores a negative count', async () => {
    const { ack } = await say(hello(), turn(1, { usage: { input: -5 } }));
    expect(ack).toMatchObject({ settled: [[1, 1]], refused: [] });
  });

  test('ignores unknown fields, including prototype keys', async () => {
    const text = `[${JSON.stringify(hello())},{"type":"turn","seq":1,"session":"s","at":1,"later":{"a":1},"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}]`;
    const { ack } = await talk(server.url, text);
    expect(ack).toMatchObject({ settled: [[1, 1]], refused: [] });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(store.items.get(stream)?.get(1)).toBe('{"type":"turn","seq":1,"session":"s","at":1}');
  });

  test('refuses JSON nested 90 000 levels deep', async () => {
    const deep = `${'['.repeat(90_000)}${']'.repeat(90_000)}`;
    const text = `[${JSON.stringify(hello())},{"type":"turn","seq":1,"session":"s","at":1,"usage":${deep}},${JSON.stringify(turn(2))}]`;
    const { ack } = await talk(server.url, text);
    expect(ack?.refused).toMatchObject([{ seq: 1, code: 'invalid_field', field: 'usage' }]);
    expect(storedSeqs()).toEqual([1, 2]);
  });

  test.each<[string, object, string, number, number]>([
    ['no token', { token: undefined }, 'unauthorized', 4401, 401],
    ['an unknown token', { token: 'bg_other' }, 'unauthorized', 4401, 401],
    ['a token of another scope', { token: READ_TOKEN }, 'forbidden', 4403, 403],
    ['another version', { v: 2 }, 'unsupported_version', 4406, 400],
    ['no project', { project: undefined }, 'bad_message', 4400, 400],
    ['a stream that is no uuid', { stream: '1' }, 'bad_message', 4400, 400],
    ['another type', { type: 'turn' }, 'bad_message', 4400, 400],
  ])('closes on a hello with %s, and stores nothing', async (_what, change, error, close, status) => {
    const answer = await say(hello(change), turn(1));
    expect(answer.error?.code).toBe(error);
    expect(answer.error?.reason).toMatch(/[a-z]/);
    expect(answer.code).toBe(codeOf(close, status));
    expect(store.commits).toEqual([]);
  });

  test('prefers the token of the Authorization header to the token in the hello', async () => {
    const body = JSON.stringify([hello({ token: 'bg_other' }), turn(1)]);
    const { ack } = await talk(server.url, body, { Authorization: `Bearer ${GOOD_TOKEN}` });
    expect(ack).toMatchObject({ settled: [[1, 1]] });
  });

  test('closes on a second hello', async () => {
    const answer = await say(hello(), turn(1), hello());
    expect(answer.error?.code).toBe('hello_twice');
    expect(answer.code).toBe(codeOf(4409, 400));
  });

  test.each([
    ['no JSON', '{"type":'],
    ['a bare number', '5'],
    ['a bare text', '"hello"'],
    ['an empty list', '[]'],
    ['nothing', ''],
  ])('refuses %s as a frame', async (_what, text) => {
    const answer = await talk(server.url, text);
    expect(answer.error?.code).toBe('bad_message');
    expect(answer.code).toBe(codeOf(4400, 400));
  });

  test('refuses a frame of too many items as a whole', async () => {
    const answer = await say(hello(), ...Array.from({ length: 51 }, (_, i) => turn(i + 1)));
    expect(answer.error?.code).toBe('too_large');
    expect(answer.code).toBe(codeOf(1009, 413));
    expect(store.commits).toEqual([]);
  });

  test('refuses a frame of too many bytes as a whole', async () => {
    const answer = await talk(server.url, JSON.stringify([hello(), turn(1, { model: 'x'.repeat(200_000) })]));
    expect(answer.code).toBe(codeOf(1009, 413));
    expect(store.commits).toEqual([]);
  });

  test('acknowledges nothing while the database is unavailable', async () => {
    store.failures.push(Object.assign(new Error('down'), { code: 'ECONNREFUSED' }));
    const answer = await say(hello(), turn(1));
    expect(answer.error?.code).toBe('unavailable');
    expect(answer.code).toBe(codeOf(4503, 503));
    expect((await say(hello(), turn(1))).ack).toMatchObject({ settled: [[1, 1]], duplicate: [] });
  });
});

test('refuses a valid token in the URL over WebSocket, with the reason', async () => {
  const answer = await talkOverWebSocket(
    `${server.url}?token=${GOOD_TOKEN}`,
    JSON.stringify([hello(), turn(1)]),
  );
  expect(answer.code).toBe(4401);
  expect(answer.error).toMatchObject({
    code: 'token_in_url',
    reason: expect.stringContaining('Authorization'),
  });
});

test('refuses a body that is not declared as JSON', async () => {
  const response = await fetch(server.url, { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
  expect(response.status).toBe(415);
  expect(await response.json()).toMatchObject({
    code: 'unsupported_media_type',
    reason: expect.stringContaining('application/json'),
  });
});

test('refuses a body that is not UTF-8', async () => {
  expect(await talkOverHttp(server.url, Buffer.from([0x5b, 0xff, 0x5d]))).toMatchObject({ code: 400 });
});
