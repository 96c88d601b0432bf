import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { chatUsage, chunks, completion, createGate } from './testing/calls';
import { events, eventText, json, type Reply } from './testing/fake-model-server';
import { request, server, session, streamed, tracked, trackTestClient } from './testing/tracked-client';

trackTestClient();

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

test('a readable stream that is cancelled cancels the call', async () => {
  const { reply, left } = endless(chunks(null));
  server.next(reply);
  const reader = (await tracked.chat.completions.create(streamed)).toReadableStream().getReader();
  await reader.read();
  await reader.cancel();
  await left;
  expect(session.turns).toMatchObject([WITHOUT_USAGE]);
});
