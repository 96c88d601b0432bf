import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { trackQuery } from './claude-agent';

const fixture = new URL('../../fixtures/claude-agent-sdk/query-stream.jsonl', import.meta.url);
const MESSAGES: object[] = readFileSync(fixture, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

/** Like the query of the SDK: it returns an inner iterator, and has further methods. */
class Query implements AsyncIterable<object> {
  readonly #messages: AsyncGenerator<object>;
  constructor(messages: object[]) {
    this.#messages = (async function* () {
      yield* messages;
    })();
  }
  next() {
    return this.#messages.next();
  }
  interrupt() {
    return 'interrupted';
  }
  [Symbol.asyncIterator]() {
    return this.#messages;
  }
}

function track(messages: object[], refuse = false) {
  const items: Record<string, unknown>[] = [];
  const record = (type: string) => (fields: object) => {
    if (refuse) throw new Error('The disk is full.');
    items.push({ type, ...fields });
  };
  const session = { turn: record('turn'), compaction: record('compaction'), alias: record('alias') };
  const query = trackQuery((_: { prompt: string }) => new Query(messages), { session });
  return { stream: query({ prompt: 'Fix it.' }), items };
}

const turnsOf = (items: Record<string, unknown>[]) => items.filter(({ type }) => type === 'turn');

test('reports each call of the main loop and each compaction once, and the id of the session', async () => {
  const { stream, items } = track(MESSAGES);
  const seen: object[] = [];
  for await (const message of stream) seen.push(message);
  expect(seen).toEqual(MESSAGES);
  const turns = turnsOf(items).map(({ call, contextTokens, usage }) => [call, contextTokens, usage]);
  expect(turns).toMatchObject([
    [['msg_fake_0003', 'req_fake_0004'], 60_011, { outputTokens: 1 }],
    [['msg_fake_0005', 'req_fake_0006'], 60_706, { outputTokens: 339 }],
    [['msg_fake_0008', 'req_fake_0009'], 61_505, { outputTokens: 1 }],
    [['msg_fake_0012', 'req_fake_0013'], 62_404, { outputTokens: 139 }],
    [['msg_fake_0016', 'req_fake_0017'], 22_508, { outputTokens: 33 }],
  ]);
  expect(items.filter(({ type }) => type === 'alias')).toMatchObject([
    { client: 'claude-code', clientSessionId: '76469b65-126d-4f78-9fc8-a60abf7ac363' },
  ]);
  expect(items.filter(({ type }) => type === 'compaction')).toMatchObject([
    { trigger: 'manual', preTokens: 62_454, state: 'confirmed' },
  ]);
});

test('keeps the class and the methods of the query, and counts a message that is read with next() once', async () => {
  const { stream, items } = track(MESSAGES.slice(0, 2));
  expect(stream).toBeInstanceOf(Query);
  expect(stream.interrupt()).toBe('interrupted');
  while (!(await stream.next()).done);
  expect(turnsOf(items)).toHaveLength(1);
});

test('counts the last call of a query that the program ends early', async () => {
  const { stream, items } = track(MESSAGES);
  let count = 0;
  for await (const _message of stream) {
    count += 1;
    if (count === 2) break;
  }
  expect(turnsOf(items)).toMatchObject([
    { call: ['msg_fake_0003', 'req_fake_0004'], contextTokens: 60_011, basis: 'input' },
  ]);
});

test('never lets a failed report reach the program', async () => {
  let count = 0;
  for await (const _message of track(MESSAGES, true).stream) count += 1;
  expect(count).toBe(MESSAGES.length);
});

test('reports an advisor as a side call once, and takes the size from the last sampling', async () => {
  const step = { input_tokens: 30, output_tokens: 5 };
  const iterations = [
    { ...step, type: 'message' },
    { ...step, type: 'advisor_message', input_tokens: 9_000, model: 'claude-test-2' },
    { ...step, type: 'message', input_tokens: 70 },
  ];
  const of = (usage: object, type = 'assistant') => ({
    type,
    parent_tool_use_id: null,
    message: { id: 'msg_1', model: 'claude-test-1', usage },
  });
  const start = of({ input_tokens: 30, output_tokens: 1 });
  const whole = of({ input_tokens: 100, output_tokens: 10, iterations });
  const delta = { type: 'message_delta', usage: { input_tokens: 100, output_tokens: 10, iterations } };
  const events = [{ type: 'message_start', message: { id: 'msg_1' } }, start.message, delta].map((event) => ({
    type: 'stream_event',
    parent_tool_use_id: null,
    event,
  }));
  const expected = [
    { call: 'msg_1', scope: undefined, usage: { inputTokens: 100, outputTokens: 10 }, contextTokens: 70 },
    {
      call: 'msg_1#advisor-1',
      scope: 'side',
      model: 'claude-test-2',
      usage: { inputTokens: 9_000, outputTokens: 5 },
    },
  ];
  const result = { type: 'result', usage: { input_tokens: 100, output_tokens: 10, iterations } };
  for (const messages of [
    [whole, whole, result],
    [...events.slice(0, 1), start, ...events.slice(2), result],
  ]) {
    const { stream, items } = track(messages);
    for await (const _message of stream);
    expect(turnsOf(items).map((turn) => ({ scope: undefined, ...turn }))).toMatchObject(expected);
  }
});
