import { describe, expect, test } from 'vitest';
import { readCounts } from './read-usage';
import { UsageCountError } from './usage-count-error';

describe('a count', () => {
  test('is read from the next name if it is null or absent', () => {
    expect(readCounts({ input_tokens: null, inputTokens: 5 }, 'anthropic').inputTokens).toBe(5);
    expect(readCounts({ input_tokens: 4, inputTokens: 5 }, 'anthropic').inputTokens).toBe(4);
  });

  test('may not be a list; its details may be a list, and entries without a count add nothing', () => {
    expect(() => readCounts({ inputTokens: [5, 6] }, 'openai-agents')).toThrow(UsageCountError);
    const details = [{ cached_tokens: 5 }, {}, { cached_tokens: null }, { cached_tokens: 6 }];
    const usage = { inputTokens: 100, inputTokensDetails: details };
    expect(readCounts(usage, 'openai-agents')).toMatchObject({ inputTokens: 89, cacheReadTokens: 11 });
  });

  test('of reasoning is refused by name if it is not a number', () => {
    const chat = { completion_tokens_details: { reasoning_tokens: 'a' } };
    expect(() => readCounts(chat, 'openai-chat')).toThrow(expect.objectContaining({ field: 'outputTokens' }));
    expect(() => readCounts({ reasoning: 'a' }, 'opencode')).toThrow(
      expect.objectContaining({ field: 'outputTokens' }),
    );
  });
});

describe('an input that includes the cached part', () => {
  const codex = (input: number, cached: number) =>
    readCounts({ input_tokens: input, cached_input_tokens: cached }, 'codex').inputTokens;

  test('is returned without the cached part, never below 0 unless the vendor sent a negative value', () => {
    expect([codex(100, 30), codex(100, 130), codex(0, 30), codex(-5, 30), codex(100, -30)]).toEqual([
      70, 0, 0, -5, 100,
    ]);
  });

  test('limits the cached parts, also of LangChain, where a streamed answer may state them twice', () => {
    const streamed = {
      input_tokens: 20_018,
      output_tokens: 300,
      total_tokens: 20_318,
      input_token_details: { cache_read: 36_000, cache_creation: 5 },
    };
    expect(readCounts(streamed, 'langchain')).toEqual({
      inputTokens: 0,
      outputTokens: 300,
      cacheReadTokens: 20_018,
      cacheCreationTokens: 0,
      contextTokens: 20_318,
    });
  });
});

describe('the AI SDK', () => {
  const counts = (usage: unknown) => readCounts(usage, 'ai-sdk').inputTokens;

  test('uses the uncached part that newer versions report, whatever the other counts are', () => {
    const details = { noCacheTokens: 40, cacheReadTokens: 70 };
    expect(counts({ inputTokens: 100, inputTokenDetails: details })).toBe(40);
    expect(counts({ inputTokens: 100, inputTokenDetails: { ...details, noCacheTokens: null } })).toBe(30);
    const { cacheReadTokens } = readCounts({ inputTokens: 100, inputTokenDetails: details }, 'ai-sdk');
    expect(cacheReadTokens).toBe(60);
  });

  test('takes an input below the cached part as uncached', () => {
    const cached = (read: number, write: number) => ({ cacheReadTokens: read, cacheWriteTokens: write });
    expect(counts({ inputTokens: 50, inputTokenDetails: cached(40, 30) })).toBe(50);
    expect(counts({ inputTokens: 70, inputTokenDetails: cached(40, 30) })).toBe(0);
    expect(counts({ inputTokens: 90, inputTokenDetails: cached(40, 30) })).toBe(20);
  });
});
