import { describe, expect, test } from 'vitest';
import { findUsage, readUsage, UsageCountError, UsageProcessor, type UsageVendor } from './index';

function counts(value: unknown, vendor?: UsageVendor) {
  const usage = readUsage(value, { vendor });
  if (usage === null) return null;
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = usage;
  return [inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens];
}

describe('vendors', () => {
  test.each<[string, UsageVendor, unknown, number[]]>([
    [
      'an entry of the Claude Agent SDK’s modelUsage',
      'anthropic',
      { inputTokens: 17, outputTokens: 340, cacheReadInputTokens: 60_000, cacheCreationInputTokens: 60_700 },
      [17, 340, 60_000, 60_700],
    ],
    [
      'Bedrock',
      'anthropic',
      { inputTokens: 5, outputTokens: 6, totalTokens: 26, cacheReadInputTokens: 7, cacheWriteInputTokens: 8 },
      [5, 6, 7, 8],
    ],
    [
      'a proxy that adds Anthropic’s fields to OpenAI’s still includes the cached part',
      'openai-chat',
      {
        prompt_tokens: 1200,
        completion_tokens: 300,
        prompt_tokens_details: { cached_tokens: 1000 },
        cache_read_input_tokens: 1000,
      },
      [200, 300, 1000, 0],
    ],
    [
      'a run of OpenAI Agents has details for each call',
      'openai-agents',
      {
        inputTokens: 2100,
        outputTokens: 50,
        inputTokensDetails: [{ cached_tokens: 0 }, { cached_tokens: 1000 }],
        outputTokensDetails: [{ reasoning_tokens: 0 }],
      },
      [1100, 50, 1000, 0],
    ],
    [
      'Gemini in snake case',
      'gemini',
      { prompt_token_count: 500, cached_content_token_count: 400, candidates_token_count: 20 },
      [100, 20, 400, 0],
    ],
    [
      'the AI SDK 6 states the uncached part',
      'ai-sdk',
      {
        inputTokens: 1000,
        outputTokens: 50,
        inputTokenDetails: { noCacheTokens: 90, cacheReadTokens: 900, cacheWriteTokens: 10 },
      },
      [90, 50, 900, 10],
    ],
    [
      'the AI SDK 5 includes the cached part',
      'ai-sdk',
      { inputTokens: 1000, outputTokens: 50, cachedInputTokens: 900 },
      [100, 50, 900, 0],
    ],
    [
      'the AI SDK 5 with a provider that excludes the cached part from the input',
      'ai-sdk',
      { inputTokens: 487, outputTokens: 5880, cachedInputTokens: 1_432_262 },
      [487, 5880, 1_432_262, 0],
    ],
    ['the AI SDK 4', 'ai-sdk', { promptTokens: 7, completionTokens: 8 }, [7, 8, 0, 0]],
    [
      'this library’s own names',
      'barograph',
      { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3 },
      [1, 2, 3, 0],
    ],
    ['the wire’s names', 'barograph', { input: 1, output: 2, cacheRead: 3, cacheCreation: 4 }, [1, 2, 3, 4]],
  ])('are read: %s', (_, vendor, usage, expected) => {
    expect(counts({ usage })).toEqual(expected);
    expect(counts({ usage }, vendor)).toEqual(expected);
    expect(counts(usage)).toEqual(expected);
    expect(readUsage(usage)?.vendor).toBe(vendor);
    expect(counts({ usage: new Map(Object.entries(usage as object)) })).toEqual(expected);
  });

  test('refuses an unknown vendor by name', () => {
    expect(() => readUsage({ usage: {} }, { vendor: 'acme' as UsageVendor })).toThrow(
      /Unknown vendor "acme": one of anthropic, /,
    );
  });
});

describe('fields', () => {
  test('counts absent and null fields as 0', () => {
    expect(counts({ usage: { input_tokens: 5 } })).toEqual([5, 0, 0, 0]);
    expect(counts({ usage: { output_tokens: 5, input_tokens: null } })).toEqual([0, 5, 0, 0]);
    expect(counts({ usage: { prompt_tokens: 5, prompt_tokens_details: null } })).toEqual([5, 0, 0, 0]);
    expect(counts({ usage: {} })).toEqual([0, 0, 0, 0]);
    expect(counts({ usage: new Map() })).toEqual([0, 0, 0, 0]);
  });

  test('refuses a count that is not a whole number, by its vendor’s field name', () => {
    for (const wrong of ['5', 1.5, Number.NaN, 2 ** 53, true]) {
      expect(() => readUsage({ usage: { prompt_tokens: wrong } })).toThrow(UsageCountError);
      expect(() => readUsage({ usage: { prompt_tokens: wrong } })).toThrow('"usage.prompt_tokens" must be');
    }
    expect(() =>
      readUsage({ usage: { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 0.5 } } }),
    ).toThrow('"usage.prompt_tokens_details.cached_tokens" must be');
  });

  test('reads a negative count unchanged', () => {
    expect(counts({ usage: { input_tokens: -5, output_tokens: 1 } })).toEqual([-5, 1, 0, 0]);
    const prompt_tokens_details = { cached_tokens: 3 };
    expect(counts({ usage: { prompt_tokens: -5, prompt_tokens_details } })).toEqual([-5, 0, 3, 0]);
  });
});

describe('messages', () => {
  const usage = { input_tokens: 1, output_tokens: 2 };
  test.each<[string, unknown]>([
    ['a result of the Claude Agent SDK', { type: 'result', usage }],
    ['a Map', new Map([['usage', usage]])],
    ['a message of the API within a message', { type: 'assistant', message: { usage } }],
    ['an event of the Responses API', { type: 'response.completed', response: { usage } }],
    ['a turn of Codex', { type: 'turn.completed', usage }],
    ['a rollout line of Codex', { payload: { type: 'token_count', info: { last_token_usage: usage } } }],
    ['a step of opencode', { type: 'step_finish', part: { tokens: usage } }],
    ['a message of opencode', { info: { tokens: usage } }],
    ['a response of Gemini', { usageMetadata: usage }],
  ])('the usage is found in %s', (_, message) => {
    expect(findUsage(message)).toBe(usage);
    expect(counts(message)).toEqual([1, 2, 0, 0]);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a message without one', { type: 'result', result: 'done', output: 'text' }],
    ['a message without usage (null)', { type: 'result', usage: null }],
    ['a usage without any known field', { usage: { tokens_of_tomorrow: 5 } }],
    ['a promise that was not awaited', { usage: Promise.resolve(usage) }],
    ['a text', 'usage'],
  ])('there is no usage in %s', (_, message) => {
    expect(readUsage(message)).toBeNull();
    expect(readUsage(message, { vendor: message === null ? 'anthropic' : undefined })).toBeNull();
  });
});

test('reads the size of a single call as the vendor’s total, else as the sum of its parts', () => {
  expect(readUsage({ prompt_tokens: 100, completion_tokens: 20, total_tokens: 125 })?.contextTokens).toBe(
    125,
  );
  expect(readUsage({ input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3 })?.contextTokens).toBe(6);
  expect(readUsage({ input_tokens: 0, output_tokens: 0 })?.contextTokens).toBeNull();
});

test('accepts null in a field with a common name only inside a usage; elsewhere requires a number', () => {
  const counts = { input: null, output: null };
  expect(readUsage({ usage: counts })).not.toBeNull();
  expect(readUsage(counts)).toBeNull();
  expect(readUsage({ input: 5 })).toMatchObject({ inputTokens: 5 });
});

describe('usage of frameworks', () => {
  test('of LangChain counts cached tokens apart from the input', () => {
    const usage_metadata = {
      input_tokens: 1_000,
      output_tokens: 25,
      total_tokens: 1_025,
      input_token_details: { cache_read: 900, cache_creation: 60 },
      output_token_details: { reasoning: 5 },
    };
    for (const value of [{ usage_metadata }, usage_metadata]) {
      expect(readUsage(value)).toEqual({
        vendor: 'langchain',
        inputTokens: 40,
        outputTokens: 25,
        cacheReadTokens: 900,
        cacheCreationTokens: 60,
        contextTokens: 1_025,
      });
    }
  });

  test('of a model of the AI SDK has its totals and details one level deeper', () => {
    const usage = {
      inputTokens: { total: 1_000, noCache: 40, cacheRead: 900, cacheWrite: 60 },
      outputTokens: { total: 25, text: 20, reasoning: 5 },
    };
    expect(readUsage({ usage })).toMatchObject({ vendor: 'ai-sdk', inputTokens: 40, cacheReadTokens: 900 });
  });

  test('of the AI SDK has NaN for an unknown count, and is null if no count is known', () => {
    const known = { inputTokens: 7, outputTokens: Number.NaN, cachedInputTokens: Number.NaN };
    expect(readUsage({ usage: known })).toMatchObject({ inputTokens: 7, outputTokens: 0, contextTokens: 7 });
    for (const usage of [
      { promptTokens: Number.NaN, completionTokens: Number.NaN, totalTokens: Number.NaN },
      { inputTokens: { total: undefined }, outputTokens: { total: undefined } },
    ]) {
      expect(readUsage({ usage })).toBeNull();
    }
  });
});

describe('a misspelled count', () => {
  test.each([
    [
      { input_token: 5, output_tokens: 2 },
      '"usage.input_token". Did you mean "input_tokens"?',
      'inputTokens',
    ],
    [{ inputTokens: 5, outputToken: 2 }, '"usage.outputToken". Did you mean "outputTokens"?', 'outputTokens'],
    [
      { promt_tokens: 5, completion_tokens: 2 },
      '"usage.promt_tokens". Did you mean "prompt_tokens"?',
      'inputTokens',
    ],
  ])('%j is refused by name', (usage, message, field) => {
    for (const value of [usage, { usage }]) {
      const refused = { name: 'UsageCountError', field, message: `Unknown field ${message}` };
      expect(() => readUsage(value)).toThrow(expect.objectContaining(refused));
      expect(() => new UsageProcessor().process(value)).toThrow(expect.objectContaining(refused));
    }
  });

  test('is no field that a provider adds', () => {
    const added = { input_tokens: 5, output_tokens: 2, input_token: 1, reasoning_tokens: 3, cost: 0.1 };
    expect(readUsage(added)).toMatchObject({ inputTokens: 5, outputTokens: 2 });
  });
});

test('takes the size of several samplings from the last one, without an advisor’s tokens', () => {
  const step = { input_tokens: 30, output_tokens: 5 };
  const iterations = [
    { ...step, type: 'message' },
    { ...step, type: 'message', input_tokens: 70 },
    { ...step, type: 'advisor_message', input_tokens: 9_000 },
  ];
  const usage = { input_tokens: 100, output_tokens: 10, iterations };
  expect(readUsage({ usage })).toMatchObject({ inputTokens: 100, outputTokens: 10, contextTokens: 75 });
});
