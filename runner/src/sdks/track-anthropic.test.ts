/** Tests trackAnthropic with a fake client. `npm run test:sdks` tests it with the real SDK. */
import { expect, test } from 'vitest';
import { RecordingSession } from '../openai/testing/calls';
import { message, messageEvents } from './testing/messages';
import { trackAnthropic } from './track-anthropic';

const USAGE = { inputTokens: 40, outputTokens: 25, cacheReadTokens: 900, cacheCreationTokens: 60 };

async function* stream(list: object[]): AsyncGenerator<object> {
  yield* list;
}

/** A client that answers every request with the same value. */
function clientOf(answer: unknown) {
  return { messages: { create: async (_body: object): Promise<unknown> => answer } };
}

async function turnsOf(answer: unknown, read = Number.POSITIVE_INFINITY) {
  const session = new RecordingSession();
  const tracked = trackAnthropic(clientOf(answer), { session });
  const given = await tracked.messages.create({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
  expect(given).toBe(answer);
  if (typeof given === 'object' && given !== null && Symbol.asyncIterator in given) {
    let count = 0;
    for await (const _event of given as AsyncIterable<object>) {
      count += 1;
      if (count === read) break;
    }
  }
  return session.turns;
}

test('counts the cached tokens of a message apart from its input', async () => {
  const answer = message(USAGE);
  const call = { call: answer.id, model: 'claude-test-1', scope: 'main' };
  expect(await turnsOf(answer)).toEqual([{ ...call, usage: USAGE, contextTokens: 1_025, basis: 'total' }]);
});

test('takes the output of a stream from its last event', async () => {
  expect(await turnsOf(stream(messageEvents(USAGE)))).toMatchObject([
    { usage: USAGE, contextTokens: 1_025, basis: 'total' },
  ]);
});

test('counts a stream that ends early with the usage of its first event, and excludes the output from its size', async () => {
  expect(await turnsOf(stream(messageEvents(USAGE)), 3)).toMatchObject([
    { usage: { ...USAGE, outputTokens: 1 }, contextTokens: 1_000, basis: 'input' },
  ]);
});

test('estimates the size after an answer without usage', async () => {
  expect(await turnsOf({ ...message(USAGE), usage: undefined })).toMatchObject([
    { usage: null, contextTokens: 4, basis: 'estimate' },
  ]);
});

test('reports that the provider compacted the context, before the call that shows its new size', async () => {
  const items: object[] = [];
  const session = {
    turn: (turn: object) => items.push(turn),
    compaction: (fields: object) => items.push({ type: 'compaction', ...fields }),
  };
  const answer = message(USAGE);
  const iterations = [
    { type: 'compaction', input_tokens: 150_000, output_tokens: 3_000 },
    { type: 'message', input_tokens: 3_100, output_tokens: 25 },
  ];
  const client = clientOf({ ...answer, usage: { ...answer.usage, iterations } });
  const tracked = trackAnthropic(client, { session });
  await tracked.messages.create({ model: 'm' });
  expect(items).toMatchObject([
    { type: 'compaction', trigger: 'auto', state: 'confirmed' },
    { usage: { inputTokens: 150_040, outputTokens: 3_025 }, contextTokens: 3_125 },
  ]);
  expect(tracked.snapshot.contextTokens).toBe(3_125);
});

test('takes the size from the last sampling, and reports the call of an advisor as a side call of its model', async () => {
  const answer = message(USAGE);
  const step = { input_tokens: 30, output_tokens: 5 };
  const iterations = [
    { ...step, type: 'message' },
    { ...step, type: 'message', input_tokens: 70 },
    { ...step, type: 'advisor_message', input_tokens: 9_000, model: 'claude-test-2' },
    { ...step, type: 'later_step', input_tokens: 9_000 },
  ];
  expect(await turnsOf({ ...answer, usage: { ...answer.usage, iterations } })).toMatchObject([
    { scope: 'main', usage: USAGE, contextTokens: 75 },
    {
      scope: 'side',
      call: `${answer.id}#advisor-1`,
      model: 'claude-test-2',
      usage: { inputTokens: 9_000, outputTokens: 5, cacheReadTokens: 0, cacheCreationTokens: 0 },
    },
  ]);
});
