import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  chatUsage,
  chunks,
  completion,
  createGate,
  createTestClient,
  MESSAGES,
  MODEL,
  RecordingSession,
} from './testing/calls';
import { events, eventText, FakeModelServer, json, type Reply } from './testing/fake-model-server';
import { type TrackedOpenAI, trackOpenAI } from './track-openai';

let server: FakeModelServer;
let session: RecordingSession;
let tracked: TrackedOpenAI<OpenAI>;

beforeAll(async () => {
  server = await FakeModelServer.start();
});
beforeEach(() => {
  session = new RecordingSession();
  tracked = trackOpenAI(createTestClient(server), { session });
});
afterAll(() => server.stop());

const request = { model: MODEL, messages: MESSAGES };
const streamed = { ...request, stream: true as const };
/** What a call counts as whose stream was left before it stated its usage. */
const WITHOUT_USAGE = { usage: null, basis: 'estimate', scope: 'main' };

/** Streams the chunks and then waits; `left` is when the client has gone. */
function endless(list: readonly object[]): { reply: Reply; left: Promise<void> } {
  const gate = createGate();
  const reply: Reply = (response) => {
    response.on('close', gate.open);
    return events(list, 'open')(response);
  };
  return { reply, left: gate.opened };
}

test('a loop that breaks cancels the stream, and the call counts as one without usage', async () => {
  const { reply, left } = endless(chunks(null));
  server.next(reply);
  const stream = await tracked.chat.completions.create(streamed);
  for await (const _chunk of stream) break;
  await left;
  expect(stream.controller.signal.aborted).toBe(true);
  expect(session.turns).toMatchObject([WITHOUT_USAGE]);
});

test('keeps usage that was stated before the loop broke', async () => {
  const list = chunks(null).map((chunk, index) => ({ ...chunk, usage: chatUsage(50, index + 1) }));
  const { reply, left } = endless(list);
  server.next(reply);
  let count = 0;
  for await (const _chunk of await tracked.chat.completions.create(streamed)) {
    count += 1;
    if (count === 2) break;
  }
  await left;
  expect(session.turns).toMatchObject([
    { usage: { input: 50, output: 2 }, contextTokens: 52, basis: 'total' },
  ]);
});

test('an abort ends the loop as it does without tracking, and the call counts as one without usage', async () => {
  const { reply, left } = endless(chunks(null));
  server.next(reply);
  const controller = new AbortController();
  const stream = await tracked.chat.completions.create(streamed, { signal: controller.signal });
  let count = 0;
  for await (const _chunk of stream) {
    count += 1;
    if (count === 3) controller.abort();
  }
  await left;
  expect(count).toBe(3);
  expect(session.turns).toMatchObject([WITHOUT_USAGE]);
});

test('a request that is aborted before its answer fails as it does without tracking, and is no turn', async () => {
  const arrived = createGate();
  server.next(() => arrived.open());
  const controller = new AbortController();
  const promise = tracked.chat.completions.create(request, { signal: controller.signal });
  const outcome = expect(promise).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
  await arrived.opened;
  controller.abort();
  await outcome;
  expect(session.turns).toEqual([]);
});

test('a stream that tears throws into the loop, and the call counts as one without usage', async () => {
  server.next(events(chunks(null), 'torn'));
  const stream = await tracked.chat.completions.create(streamed);
  let text = '';
  const read = async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  };
  await expect(read()).rejects.toThrow('terminated');
  expect(text).toBe('Half full.');
  expect(session.turns).toMatchObject([WITHOUT_USAGE]);
});

test('an error inside the stream passes through', async () => {
  server.next(
    events([...chunks(null).slice(0, 1), { error: { message: 'overloaded', type: 'server_error' } }]),
  );
  const stream = await tracked.chat.completions.create(streamed);
  const read = async () => {
    for await (const _chunk of stream);
  };
  await expect(read()).rejects.toThrow('overloaded');
  expect(session.turns).toMatchObject([WITHOUT_USAGE]);
});

test('an error that the loop throws reaches its owner, and the stream is cancelled', async () => {
  const { reply, left } = endless(chunks(null));
  server.next(reply);
  const stream = await tracked.chat.completions.create(streamed);
  const read = async () => {
    for await (const _chunk of stream) throw new Error('the owner gave up');
  };
  await expect(read()).rejects.toThrow('the owner gave up');
  await left;
  expect(session.turns).toMatchObject([WITHOUT_USAGE]);
});

test.each([429, 500, 400])(
  'a request refused with %i fails as it does without tracking, and is no turn',
  async (status) => {
    server.next(json({ error: { message: 'refused', type: 'x' } }, status));
    const failure: unknown = await tracked.chat.completions.create(request).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.APIError);
    expect(failure).toMatchObject({ status });
    expect(session.turns).toEqual([]);
    expect(tracked.snapshot.contextTokens).toBeNull();
  },
);

test('a request that the client retries is one turn', async () => {
  server.next(
    json({ error: { message: 'slow down' } }, 429, { 'retry-after-ms': '1' }),
    json(completion(chatUsage(10, 5))),
  );
  await tracked.chat.completions.create(request, { maxRetries: 1 });
  expect(session.turns).toHaveLength(1);
});

test('a stream that is never read is no turn', async () => {
  const { reply, left } = endless(chunks(chatUsage(1, 1)));
  server.next(reply);
  const stream = await tracked.chat.completions.create(streamed);
  stream.controller.abort();
  await left;
  expect(session.turns).toEqual([]);
});

test('a chunk reaches the loop before the next one is sent', async () => {
  const more = createGate();
  const [first = {}, ...rest] = chunks(chatUsage(10, 5));
  server.next(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(eventText(first));
    await more.opened;
    response.end(rest.map(eventText).join(''));
  });
  const iterator = (await tracked.chat.completions.create(streamed))[Symbol.asyncIterator]();
  expect((await iterator.next()).value?.choices[0]?.delta.content).toBe('Half ');
  more.open();
  let count = 0;
  while (!(await iterator.next()).done) count += 1;
  expect(count).toBe(2);
  expect(session.turns).toMatchObject([{ contextTokens: 15 }]);
});

test('both halves of a tee get every chunk, and the call is one turn', async () => {
  server.next(events(chunks(chatUsage(10, 5))));
  const [left, right] = (await tracked.chat.completions.create(streamed)).tee();
  const read = async (half: AsyncIterable<OpenAI.ChatCompletionChunk>) => {
    let text = '';
    for await (const chunk of half) text += chunk.choices[0]?.delta.content ?? '';
    return text;
  };
  expect(await Promise.all([read(left), read(right)])).toEqual(['Half full.', 'Half full.']);
  expect(session.turns).toMatchObject([{ contextTokens: 15 }]);
});

test('a stream handed on as a readable stream is captured', async () => {
  server.next(events(chunks(chatUsage(10, 5))));
  const stream = await tracked.chat.completions.create(streamed);
  const lines = (await new Response(stream.toReadableStream()).text()).trim().split('\n');
  expect(lines).toHaveLength(3);
  expect(session.turns).toMatchObject([{ contextTokens: 15 }]);
});

test('a readable stream that is cancelled cancels the call', async () => {
  const { reply, left } = endless(chunks(null));
  server.next(reply);
  const reader = (await tracked.chat.completions.create(streamed)).toReadableStream().getReader();
  await reader.read();
  await reader.cancel();
  await left;
  expect(session.turns).toMatchObject([WITHOUT_USAGE]);
});

test('rejects a second reader of a stream, and the first keeps its call', async () => {
  server.next(events(chunks(chatUsage(10, 5))));
  const stream = await tracked.chat.completions.create(streamed);
  const first = stream[Symbol.asyncIterator]();
  await first.next();
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow('consumed stream');
  while (!(await first.next()).done);
  expect(session.turns).toMatchObject([{ contextTokens: 15 }]);
});

test('a stream is still the package’s own, and can be read once', async () => {
  server.next(events(chunks(chatUsage(10, 5))));
  const stream = await tracked.chat.completions.create(streamed);
  expect(stream.constructor.name).toBe('Stream');
  for await (const _chunk of stream);
  const again = async () => {
    for await (const _chunk of stream);
  };
  await expect(again()).rejects.toThrow('Cannot iterate over a consumed stream');
  expect(session.turns).toHaveLength(1);
});
