/** Differences between servers that speak OpenAI's protocol. */
import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { chatUsage, chunks, completion, MESSAGES, MODEL } from './testing/calls';
import { events, json } from './testing/fake-model-server';
import { request, server, session, tracked, trackTestClient } from './testing/tracked-client';

trackTestClient();

async function stream(list: readonly object[]): Promise<OpenAI.ChatCompletionChunk[]> {
  server.next(events(list));
  const seen: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of await tracked.chat.completions.create({ ...request, stream: true }))
    seen.push(chunk);
  return seen;
}

test('passes on Azure’s first chunk, which has neither choices nor usage', async () => {
  const filters = { id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [] };
  const list = chunks(chatUsage(90, 10));
  const seen = await stream([filters, ...list]);
  expect(seen).toHaveLength(4);
  expect(seen[0]?.choices).toEqual([]);
  expect(session.turns).toMatchObject([{ call: seen[1]?.id, model: MODEL, contextTokens: 100 }]);
});

test('passes on OpenRouter’s last chunk, which has choices and the usage', async () => {
  const [first = {}, second = {}, last = {}] = chunks(null);
  const seen = await stream([first, second, { ...last, usage: chatUsage(90, 10) }]);
  expect(seen).toHaveLength(3);
  expect(session.turns).toMatchObject([{ usage: { inputTokens: 90, outputTokens: 10 }, contextTokens: 100 }]);
});

test('keeps the last usage of vLLM, which sends one with every chunk', async () => {
  const list = chunks(chatUsage(90, 3)).map((chunk, index) => ({ ...chunk, usage: chatUsage(90, index) }));
  await stream(list);
  expect(session.turns).toHaveLength(1);
  expect(session.turns).toMatchObject([{ usage: { inputTokens: 90, outputTokens: 3 }, contextTokens: 93 }]);
});

test('reads Moonshot’s usage inside the choice', async () => {
  const [first = {}, second = {}] = chunks(null);
  const choices = [
    { index: 0, delta: {}, finish_reason: 'stop', usage: { prompt_tokens: 19, completion_tokens: 13 } },
  ];
  await stream([first, second, { ...first, choices }]);
  expect(session.turns).toMatchObject([{ usage: { inputTokens: 19, outputTokens: 13 }, contextTokens: 32 }]);
});

test('reads DeepSeek’s own name for the cached part of the prompt', async () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050 };
  server.next(json(completion({ ...usage, prompt_cache_hit_tokens: 832, prompt_cache_miss_tokens: 168 })));
  await tracked.chat.completions.create(request);
  expect(session.turns).toMatchObject([
    { usage: { inputTokens: 168, outputTokens: 50, cacheReadTokens: 832 }, contextTokens: 1_050 },
  ]);
});

test('uses no id of Ollama as a call key, because the ids repeat', async () => {
  server.next(
    json(completion(chatUsage(9, 1), { id: 'chatcmpl-417' })),
    json(completion(chatUsage(19, 1), { id: 'chatcmpl-417' })),
  );
  await tracked.chat.completions.create(request);
  await tracked.chat.completions.create(request);
  expect(session.turns.map(({ call }) => call)).toEqual([undefined, undefined]);
  expect(session.turns.map(({ contextTokens }) => contextTokens)).toEqual([10, 20]);
});

test('uses a repeated id as the key of the first call only', async () => {
  const id = 'chatcmpl-the-same-every-time';
  server.next(json(completion(chatUsage(9, 1), { id })), json(completion(chatUsage(19, 1), { id })));
  await tracked.chat.completions.create(request);
  await tracked.chat.completions.create(request);
  expect(session.turns.map(({ call }) => call)).toEqual([id, undefined]);
});

test('marks the size as an estimate from messages and answer if the server sends no usage', async () => {
  server.next(json(completion(undefined)));
  await tracked.chat.completions.create(request);
  // 5 tokens for 'How full is it?', and 3 for 'Half full.'.
  expect(tracked.snapshot).toMatchObject({ contextTokens: 8, basis: 'estimate', isEstimate: true });
  expect(session.turns).toMatchObject([{ usage: null, contextTokens: 8, basis: 'estimate' }]);
});

test('estimates what was sent, without messages that the owner adds during the call', async () => {
  const messages: OpenAI.ChatCompletionMessageParam[] = [...MESSAGES];
  server.next(json(completion(undefined)));
  const answer = tracked.chat.completions.create({ model: MODEL, messages });
  messages.push({ role: 'user', content: 'x'.repeat(400) });
  await answer;
  expect(tracked.snapshot.contextTokens).toBe(8);
});
