import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { chatUsage, chunks, completion, createGate, MODEL } from './testing/calls';
import { events, json } from './testing/fake-model-server';
import { client, request, server, session, streamed, trackTestClient } from './testing/tracked-client';
import { trackOpenAI } from './track-openai';

trackTestClient();

test('uses the total_tokens of the last response as contextTokens', async () => {
  const tracked = trackOpenAI(client, { session, limit: 10_000 });
  const answer = completion(chatUsage(1_200, 300, 1_000));
  server.next(json(answer));
  const { choices } = await tracked.chat.completions.create(request);
  expect(choices[0]?.message.content).toBe('Half full.');
  expect(tracked.snapshot.contextTokens).toBe(1_500);
  expect(tracked.snapshot.pressure).toBe(0.15);
  expect(session.turns).toEqual([
    {
      call: answer.id,
      model: MODEL,
      scope: 'main',
      limit: 10_000,
      usage: { inputTokens: 200, outputTokens: 300, cacheReadTokens: 1_000, cacheCreationTokens: 0 },
      contextTokens: 1_500,
      basis: 'total',
    },
  ]);
});

test('requests the usage of a stream and captures its last chunk', async () => {
  const tracked = trackOpenAI(client, { session });
  server.next(events(chunks(chatUsage(90, 10))));
  let text = '';
  for await (const chunk of await tracked.chat.completions.create(streamed)) {
    text += chunk.choices[0]?.delta.content ?? '';
  }
  expect(text).toBe('Half full.');
  expect(server.lastBody().stream_options).toEqual({ include_usage: true });
  expect(tracked.snapshot.contextTokens).toBe(100);
  expect(session.turns).toMatchObject([
    { usage: { inputTokens: 90, outputTokens: 10 }, contextTokens: 100, basis: 'total' },
  ]);
});

test('hides the chunk without choices from a request that did not ask for usage', async () => {
  const tracked = trackOpenAI(client, { session });
  server.next(events(chunks(chatUsage(90, 10))));
  const finishes: unknown[] = [];
  for await (const chunk of await tracked.chat.completions.create(streamed)) {
    // Caller's code that never had to handle an empty list of choices.
    const [choice] = chunk.choices as [OpenAI.ChatCompletionChunk.Choice];
    finishes.push(choice.finish_reason);
  }
  expect(finishes).toEqual([null, null, 'stop']);
});

test('passes on the chunk without choices if usageChunk is pass', async () => {
  const tracked = trackOpenAI(client, { usageChunk: 'pass' });
  server.next(events(chunks(chatUsage(90, 10))));
  const seen: number[] = [];
  for await (const chunk of await tracked.chat.completions.create(streamed)) seen.push(chunk.choices.length);
  expect(seen).toEqual([1, 1, 1, 0]);
});

test('passes the usage chunk to a request that asked for it, with its other stream options', async () => {
  const tracked = trackOpenAI(client, { session });
  server.next(events(chunks(chatUsage(90, 10))));
  const stream_options = { include_usage: true, include_obfuscation: false };
  let usage: OpenAI.CompletionUsage | null | undefined;
  for await (const chunk of await tracked.chat.completions.create({ ...streamed, stream_options })) {
    usage = chunk.usage ?? usage;
  }
  expect(usage?.total_tokens).toBe(100);
  expect(server.lastBody().stream_options).toEqual(stream_options);
});

test('leaves a request that declines usage unchanged, and estimates its size', async () => {
  const tracked = trackOpenAI(client);
  server.next(events(chunks(null)));
  const stream_options = { include_usage: false };
  for await (const _chunk of await tracked.chat.completions.create({ ...streamed, stream_options }));
  expect(server.lastBody().stream_options).toEqual(stream_options);
  expect(tracked.snapshot.contextTokens).toBeGreaterThan(0);
});

test('counts each parallel call as a turn, and keeps the reading of the call that ends last', async () => {
  const tracked = trackOpenAI(client, { session });
  const slow = completion(chatUsage(500, 50));
  const quick = completion(chatUsage(100, 10));
  const arrived = createGate();
  const released = createGate();
  server.next(async (reply) => {
    arrived.open();
    await released.opened;
    await json(slow)(reply);
  }, json(quick));
  const first = tracked.chat.completions.create(request).then(({ id }) => id);
  await arrived.opened;
  expect((await tracked.chat.completions.create(request)).id).toBe(quick.id);
  expect(tracked.snapshot.contextTokens).toBe(110);
  released.open();
  expect(await first).toBe(slow.id);
  expect(tracked.snapshot.contextTokens).toBe(550);
  expect(session.turns.map(({ call }) => call)).toEqual([quick.id, slow.id]);
});
