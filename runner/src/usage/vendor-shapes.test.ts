import { describe, expect, test } from 'vitest';
import { UsageCountError } from './usage-count-error';
import { detectVendor, readCounts, type UsageCounts, type UsageVendor } from './vendor-shapes';

/** A usage with one field; a dot enters it. */
function only(path: string, value: unknown): Record<string, unknown> {
  const [outer = '', inner] = path.split('.');
  return { [outer]: inner === undefined ? value : { [inner]: value } };
}

/** Every field that identifies its vendor by itself. */
const marks: Record<string, readonly string[]> = {
  'openai-chat': ['prompt_tokens', 'completion_tokens'],
  codex: ['cached_input_tokens', 'cache_write_input_tokens', 'reasoning_output_tokens'],
  anthropic: [
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
    'cacheReadInputTokens',
    'cacheCreationInputTokens',
    'cacheWriteInputTokens',
    'input_tokens',
    'output_tokens',
  ],
  'openai-responses': ['input_tokens_details', 'total_tokens'],
  'openai-agents': ['inputTokensDetails', 'outputTokensDetails', 'requestUsageEntries'],
  gemini: [
    'promptTokenCount',
    'candidatesTokenCount',
    'totalTokenCount',
    'prompt_token_count',
    'candidates_token_count',
    'total_token_count',
  ],
  opencode: ['cache.read', 'cache.write', 'reasoning'],
  'ai-sdk': [
    'inputTokenDetails',
    'outputTokenDetails',
    'cachedInputTokens',
    'promptTokens',
    'completionTokens',
    'inputTokens',
    'outputTokens',
  ],
  barograph: ['cacheReadTokens', 'cacheCreationTokens', 'cacheRead', 'cacheCreation', 'input', 'output'],
};

describe('a field on its own', () => {
  test.each(Object.entries(marks).flatMap(([vendor, names]) => names.map((name) => [name, vendor] as const)))(
    '%s identifies usage of %s',
    (name, vendor) => {
      expect(detectVendor(only(name, 5), true)).toBe(vendor);
      expect(detectVendor(only(name, 5), false)).toBe(vendor);
    },
  );

  test.each(['input', 'output', 'reasoning'])('%s detects it in a message only as a number', (name) => {
    expect(detectVendor({ [name]: 'words' }, false)).toBeNull();
    expect(detectVendor({ [name]: null }, true)).not.toBeNull();
  });
});

/** Vendor → count → every field it is read from, beside an input that includes the cache. */
const fields: Record<string, Partial<Record<keyof UsageCounts, readonly string[]>>> = {
  anthropic: {
    inputTokens: ['input_tokens', 'inputTokens'],
    outputTokens: ['output_tokens', 'outputTokens'],
    cacheReadTokens: ['cache_read_input_tokens', 'cacheReadInputTokens'],
    cacheCreationTokens: ['cache_creation_input_tokens', 'cacheCreationInputTokens', 'cacheWriteInputTokens'],
  },
  'openai-chat': {
    inputTokens: ['prompt_tokens'],
    outputTokens: ['completion_tokens'],
    cacheReadTokens: ['prompt_tokens_details.cached_tokens', 'prompt_cache_hit_tokens', 'cached_tokens'],
    cacheCreationTokens: ['prompt_tokens_details.cache_write_tokens'],
  },
  codex: {
    inputTokens: ['input_tokens'],
    outputTokens: ['output_tokens'],
    cacheReadTokens: ['cached_input_tokens'],
    cacheCreationTokens: ['cache_write_input_tokens'],
  },
  'openai-responses': {
    inputTokens: ['input_tokens'],
    outputTokens: ['output_tokens'],
    cacheReadTokens: ['input_tokens_details.cached_tokens'],
    cacheCreationTokens: ['input_tokens_details.cache_write_tokens'],
  },
  'openai-agents': {
    inputTokens: ['inputTokens'],
    outputTokens: ['outputTokens'],
    cacheReadTokens: ['inputTokensDetails.cached_tokens'],
    cacheCreationTokens: ['inputTokensDetails.cache_write_tokens'],
  },
  gemini: {
    inputTokens: [
      'promptTokenCount',
      'prompt_token_count',
      'toolUsePromptTokenCount',
      'tool_use_prompt_token_count',
    ],
    outputTokens: [
      'candidatesTokenCount',
      'candidates_token_count',
      'thoughtsTokenCount',
      'thoughts_token_count',
    ],
    cacheReadTokens: ['cachedContentTokenCount', 'cached_content_token_count'],
  },
  opencode: {
    inputTokens: ['input'],
    outputTokens: ['output'],
    cacheReadTokens: ['cache.read'],
    cacheCreationTokens: ['cache.write'],
  },
  'ai-sdk': {
    inputTokens: ['inputTokens', 'promptTokens', 'inputTokenDetails.noCacheTokens'],
    outputTokens: ['outputTokens', 'completionTokens'],
    cacheReadTokens: ['inputTokenDetails.cacheReadTokens', 'cachedInputTokens'],
    cacheCreationTokens: ['inputTokenDetails.cacheWriteTokens'],
  },
  barograph: {
    inputTokens: ['inputTokens', 'input'],
    outputTokens: ['outputTokens', 'output'],
    cacheReadTokens: ['cacheReadTokens', 'cacheRead'],
    cacheCreationTokens: ['cacheCreationTokens', 'cacheCreation'],
  },
};

describe('a count', () => {
  test.each(
    Object.entries(fields).flatMap(([vendor, counts]) =>
      Object.entries(counts).flatMap(([count, paths]) =>
        paths.map((path) => [vendor as UsageVendor, path, count as keyof UsageCounts] as const),
      ),
    ),
  )('of %s is read from %s into %s, and refused there by that name', (vendor, path, count) => {
    const usage = only(path, 7);
    expect(readCounts(usage, vendor)[count]).toBe(7);
    const refused = expect.objectContaining({
      field: count,
      code: 'invalid_count',
      message: expect.stringContaining(`"usage.${path}"`),
    });
    expect(() => readCounts(only(path, 1.5), vendor)).toThrow(refused);
  });

  test('that is null gives way to the next name, and so does none', () => {
    expect(readCounts({ input_tokens: null, inputTokens: 5 }, 'anthropic').inputTokens).toBe(5);
    expect(readCounts({ input_tokens: 4, inputTokens: 5 }, 'anthropic').inputTokens).toBe(4);
  });

  test('may be a list only where its details are one, and some of those may have none', () => {
    expect(() => readCounts({ inputTokens: [5, 6] }, 'openai-agents')).toThrow(UsageCountError);
    const details = [{ cached_tokens: 5 }, {}, { cached_tokens: null }, { cached_tokens: 6 }];
    const usage = { inputTokens: 100, inputTokensDetails: details };
    expect(readCounts(usage, 'openai-agents')).toMatchObject({ inputTokens: 89, cacheReadTokens: 11 });
  });

  test('of reasoning that is no count is refused by its name', () => {
    const chat = { completion_tokens_details: { reasoning_tokens: 'a' } };
    expect(() => readCounts(chat, 'openai-chat')).toThrow(expect.objectContaining({ field: 'outputTokens' }));
    expect(() => readCounts({ reasoning: 'a' }, 'opencode')).toThrow(
      expect.objectContaining({ field: 'outputTokens' }),
    );
  });
});

describe('the total of a call', () => {
  test.each<[UsageVendor, string]>([
    ['openai-chat', 'total_tokens'],
    ['codex', 'total_tokens'],
    ['openai-responses', 'total_tokens'],
    ['openai-agents', 'totalTokens'],
    ['gemini', 'totalTokenCount'],
    ['gemini', 'total_token_count'],
    ['opencode', 'total'],
  ])('of %s is %s, and the size of its context', (vendor, name) => {
    expect(readCounts({ [name]: 50 }, vendor).contextTokens).toBe(50);
    expect(() => readCounts({ [name]: 0.5 }, vendor)).toThrow(
      expect.objectContaining({ field: 'outputTokens' }),
    );
  });

  test('is that of its parts where none is stated', () => {
    expect(readCounts({ input_tokens: 3, output_tokens: 4 }, 'anthropic').contextTokens).toBe(7);
  });
});

describe('an input that includes the cached part', () => {
  const codex = (input: number, cached: number) =>
    readCounts({ input_tokens: input, cached_input_tokens: cached }, 'codex').inputTokens;

  test('is without it what it is, never below 0, and passes where it is negative itself', () => {
    expect([codex(100, 30), codex(100, 130), codex(0, 30), codex(-5, 30), codex(100, -30)]).toEqual([
      70, 0, 0, -5, 100,
    ]);
  });
});

describe('the AI SDK', () => {
  const counts = (usage: unknown) => readCounts(usage, 'ai-sdk').inputTokens;

  test('uses the uncached part of newer versions, whatever the sums are', () => {
    const details = { noCacheTokens: 40, cacheReadTokens: 70 };
    expect(counts({ inputTokens: 100, inputTokenDetails: details })).toBe(40);
    expect(counts({ inputTokens: 100, inputTokenDetails: { ...details, noCacheTokens: null } })).toBe(30);
  });

  test('leaves the cached part out of the input where that is less', () => {
    const cached = (read: number, write: number) => ({ cacheReadTokens: read, cacheWriteTokens: write });
    expect(counts({ inputTokens: 50, inputTokenDetails: cached(40, 30) })).toBe(50);
    expect(counts({ inputTokens: 70, inputTokenDetails: cached(40, 30) })).toBe(0);
    expect(counts({ inputTokens: 90, inputTokenDetails: cached(40, 30) })).toBe(20);
  });
});

test('an unknown vendor is refused with the names that are known', () => {
  expect(() => readCounts({}, 'nobody' as UsageVendor)).toThrow(
    /^Unknown vendor "nobody": one of anthropic, /,
  );
});
