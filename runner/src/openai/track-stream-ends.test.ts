import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { chatUsage, chunks, completion, createGate } from './testing/calls';
import { events, eventText, json, type Reply } from './testing/fake-model-server';
import { request, server, session, streamed, tracked, trackTestClient } from './testing/tracked-client';

trackTestClient();

/** The reported turn of a stream that ended before its usage. */
const WITHOUT_USAGE = { usage: null, basis: 'estimate', scope: 'main' };

/** Streams the chunks and then waits; `left` resolves when the client disconnects. */
function endless(list: readonly object[]): { reply: Reply; left: Promise<void> } {
  const gate = createGate();
  const reply: Reply = (response) => {
    response.on('close', gate.open);
    return events(list, 'open')(response);
  };
  return { reply, left: gate.opened };
}

test('cancels the stream of a loop that breaks, and counts a turn without usage', async () => {
  const { reply, left } = endless(chunks(null));
  server.next(reply);
  const stream = await tracked.chat.completions.create(streamed);
  for await (const _chunk of stream) break;
  await left;
  expect(stream.controller.signal.aborted).toBe(true);
  expect(session.turns).toMatchObject([WITHOUT_USAGE]);
});

test('lets an abort end the loop in the same way as without tracking, and counts a turn without usage', async () => {
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

test('passes on the error of a broken stream, and counts a turn without usage', async () => {
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
  'lets a request refused with %i fail as without tracking, and counts no turn',
  async (status) => {
    server.next(json({ error: { message: 'refused', type: 'x' } }, status));
    const failure: unknown = await tracked.chat.completions.create(request).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.APIError);
    expect(failure).toMatchObject({ status });
    expect(session.turns).toEqual([]);
    expect(tracked.snapshot.contextTokens).toBeNull();
  },
);

test('counts a retried request as one turn', async () => {
  server.next(
    json({ error: { message: 'slow down' } }, 429, { 'retry-after-ms': '1' }),
    json(completion(chatUsage(10, 5))),
  );
  await tracked.chat.completions.create(request, { maxRetries: 1 });
  expect(session.turns).toHaveLength(1);
});

test('counts no turn for a stream that is never read', async () => {
  const { reply, left } = endless(chunks(chatUsage(1, 1)));
  server.next(reply);
  const stream = await tracked.chat.completions.create(streamed);
  stream.controller.abort();
  await left;
  expect(session.turns).toEqual([]);
});

test('passes each chunk to the loop before the next one is sent', async () => {
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

test('passes every chunk to both halves of a tee, and counts one turn', async () => {
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

test('cancels the call when its readable stream is cancelled', async () => {
  const { reply, left } = endless(chunks(null));
  server.next(reply);
  const reader = (await tracked.chat.completions.create(streamed)).toReadableStream().getReader();
  await reader.read();
  await reader.cancel();
  await left;
  expect(session.turns).toMatchObject([WITHOUT_USAGE]);
});
