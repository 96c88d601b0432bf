import { describe, expect, test } from 'vitest';
import { fc } from '../testing/property-runs';
import { readReport } from './codex/line';
import { splitPrompt } from './split-prompt';

describe('a prompt with cached tokens', () => {
  test('is the sum of its parts', () => {
    const count = fc.integer({ min: 0, max: 2 ** 52 });
    fc.assert(
      fc.property(count, count, count, (prompt, read, written) => {
        const parts = splitPrompt(prompt, read, written);
        expect(parts.input + parts.cacheRead + parts.cacheCreation).toBe(prompt);
        expect(Math.min(...Object.values(parts))).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('of Codex has no larger cached parts either', () => {
    const last_token_usage = { input_tokens: 100, cached_input_tokens: 180, output_tokens: 9 };
    const payload = { type: 'token_count', info: { last_token_usage } };
    expect(readReport({ type: 'event_msg', payload })?.call?.counts).toEqual({
      input: 0,
      output: 9,
      cacheRead: 100,
      cacheCreation: 0,
      contextTokens: 109,
    });
  });
});
