import { expect, test } from 'vitest';
import { readAgentsUsage, readChatUsage, readResponsesUsage } from './read-usage';

const CHAT = { id: 'chatcmpl-1', model: 'gpt-4o', choices: [] };

test('subtracts the cached part of a chat prompt from the input', () => {
  const usage = {
    prompt_tokens: 5_000,
    completion_tokens: 400,
    total_tokens: 5_400,
    prompt_tokens_details: { cached_tokens: 1_024, cache_write_tokens: 2_048 },
    completion_tokens_details: { reasoning_tokens: 300 },
  };
  expect(readChatUsage({ ...CHAT, usage })).toEqual({
    call: 'chatcmpl-1',
    model: 'gpt-4o',
    usage: { inputTokens: 1_928, outputTokens: 400, cacheReadTokens: 1_024, cacheCreationTokens: 2_048 },
    contextTokens: 5_400,
    basis: 'total',
  });
});

test('reads the usage of Groq’s streams from x_groq', () => {
  const usage = { prompt_tokens: 30, completion_tokens: 5, total_tokens: 35 };
  expect(readChatUsage({ ...CHAT, x_groq: { id: 'req_1', usage } })?.contextTokens).toBe(35);
});

test('reads only the input side if the output is missing', () => {
  const reading = { contextTokens: 30, basis: 'input' };
  expect(readChatUsage({ usage: { prompt_tokens: 30 } })).toMatchObject(reading);
  expect(readResponsesUsage({ usage: { input_tokens: 30 } })).toMatchObject(reading);
});

test('reads a total without parts as a size without spending', () => {
  const reading = { usage: null, contextTokens: 500, basis: 'total' };
  expect(readChatUsage({ usage: { total_tokens: 500 } })).toMatchObject(reading);
  expect(readResponsesUsage({ usage: { total_tokens: 500 } })).toMatchObject(reading);
});

test.each([
  ['undefined', undefined],
  ['null', null],
  ['a text', 'usage'],
  ['no usage', CHAT],
  ['usage null', { ...CHAT, usage: null }],
  ['usage without counts', { ...CHAT, usage: {} }],
])('finds no usage in %s', (_name, value) => {
  expect(readChatUsage(value)).toBeNull();
  expect(readResponsesUsage(value)).toBeNull();
});

test('reads a response and the last event of its stream alike', () => {
  const usage = { input_tokens: 900, output_tokens: 100, total_tokens: 1_000 };
  const whole = { id: 'resp_1', object: 'response', model: 'gpt-5', usage };
  const reading = {
    call: 'resp_1',
    model: 'gpt-5',
    usage: { inputTokens: 900, outputTokens: 100, cacheReadTokens: 0, cacheCreationTokens: 0 },
    contextTokens: 1_000,
    basis: 'total',
  };
  expect(readResponsesUsage(whole)).toEqual(reading);
  for (const type of ['response.completed', 'response.incomplete', 'response.failed']) {
    expect(readResponsesUsage({ type, response: whole })).toEqual(reading);
  }
  expect(readResponsesUsage({ type: 'response.output_text.delta', delta: 'Half' })).toBeNull();
  expect(readResponsesUsage({ type: 'response.created', response: { ...whole, usage: null } })).toBeNull();
});

/** As a run of `@openai/agents` 0.20.0 reports it: one tool call, so two requests. */
const RUN = {
  requests: 2,
  inputTokens: 2_100,
  outputTokens: 50,
  totalTokens: 2_150,
  inputTokensDetails: [{ cached_tokens: 0 }, { cached_tokens: 1_000 }],
  outputTokensDetails: [{ reasoning_tokens: 0 }, { reasoning_tokens: 5 }],
  requestUsageEntries: [
    {
      inputTokens: 1_000,
      outputTokens: 20,
      totalTokens: 1_020,
      inputTokensDetails: { cached_tokens: 0 },
      outputTokensDetails: { reasoning_tokens: 0 },
      endpoint: 'responses.create',
    },
    {
      inputTokens: 1_100,
      outputTokens: 30,
      totalTokens: 1_130,
      inputTokensDetails: { cached_tokens: 1_000 },
      outputTokensDetails: { reasoning_tokens: 5 },
      endpoint: 'responses.create',
    },
  ],
};

const UNNAMED = { call: null, model: null, basis: 'total' };

test('reads a run of the Agents SDK request by request', () => {
  const first = { inputTokens: 1_000, outputTokens: 20, cacheReadTokens: 0, cacheCreationTokens: 0 };
  const second = { inputTokens: 100, outputTokens: 30, cacheReadTokens: 1_000, cacheCreationTokens: 0 };
  expect(readAgentsUsage(RUN)).toEqual([
    { ...UNNAMED, usage: first, contextTokens: 1_020 },
    { ...UNNAMED, usage: second, contextTokens: 1_130 },
  ]);
});

test('reads the totals of several requests as spending without a context size', () => {
  const { requestUsageEntries: _entries, ...totals } = RUN;
  const usage = { inputTokens: 1_100, outputTokens: 50, cacheReadTokens: 1_000, cacheCreationTokens: 0 };
  expect(readAgentsUsage(totals)).toEqual([{ ...UNNAMED, usage, contextTokens: null }]);
});

test('reads a raw response of the Agents SDK as one call with its id', () => {
  const [, second] = RUN.requestUsageEntries;
  const raw = { ...second, requests: 1, inputTokensDetails: [{ cached_tokens: 1_000 }] };
  expect(readAgentsUsage(raw, 'resp_1')).toMatchObject([{ call: 'resp_1', contextTokens: 1_130 }]);
  expect(readAgentsUsage({ ...raw, requestUsageEntries: [second] }, 'resp_1')).toMatchObject([
    { call: 'resp_1', usage: { inputTokens: 100 }, contextTokens: 1_130 },
  ]);
  expect(readAgentsUsage(RUN, 'resp_1').map(({ call }) => call)).toEqual([null, null]);
  expect(readAgentsUsage(null)).toEqual([]);
  expect(readAgentsUsage({})).toEqual([]);
});
