import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readChatUsage, readResponsesUsage } from './read-usage';

const count = fc.nat({ max: 2 ** 40 });
/** Figures as OpenAI states them: parts of the prompt and of the answer. */
const figures = fc.record({ fresh: count, cached: count, written: count, answer: count, reasoning: count });

type Figures = typeof figures extends fc.Arbitrary<infer T> ? T : never;

function chat({ fresh, cached, written, answer, reasoning }: Figures, isTotalStated: boolean) {
  const [prompt_tokens, completion_tokens] = [fresh + cached + written, answer + reasoning];
  return {
    prompt_tokens,
    completion_tokens,
    ...(isTotalStated ? { total_tokens: prompt_tokens + completion_tokens } : {}),
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

test('each token is in one figure, and all of them together are the reading', () => {
  fc.assert(
    fc.property(figures, fc.boolean(), (parts, isTotalStated) => {
      const reading = readChatUsage({ usage: chat(parts, isTotalStated) });
      const whole = Object.values(parts).reduce((sum, part) => sum + part, 0);
      const expected = {
        input: parts.fresh,
        output: parts.answer + parts.reasoning,
        cacheRead: parts.cached,
        cacheCreation: parts.written,
      };
      expect(reading?.usage).toEqual(expected);
      expect(reading?.contextTokens).toBe(whole === 0 ? null : whole);
    }),
  );
});

test('Chat Completions and Responses read alike', () => {
  fc.assert(
    fc.property(figures, fc.boolean(), (parts, isTotalStated) => {
      const usage = chat(parts, isTotalStated);
      const { prompt_tokens, completion_tokens, ...rest } = usage;
      const other = {
        ...rest,
        input_tokens: prompt_tokens,
        output_tokens: completion_tokens,
        input_tokens_details: usage.prompt_tokens_details,
        output_tokens_details: usage.completion_tokens_details,
      };
      expect(readResponsesUsage({ usage: other })).toEqual(readChatUsage({ usage }));
    }),
  );
});

test('keeps the last figures of a call, however often they were stated', () => {
  const stated = fc.option(figures, { nil: null });
  fc.assert(
    fc.property(fc.array(stated, { minLength: 1 }), (list) => {
      const readings = list.map((parts) => readChatUsage({ usage: parts && chat(parts, true) }));
      const last = readings.reduce((before, reading) => reading ?? before, null);
      const expected = list.findLast((parts) => parts !== null);
      expect(last?.usage?.cacheRead).toBe(expected?.cached);
    }),
  );
});

test('whatever a server sends is read, is no usage, or is refused by name', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (usage, count) => {
      for (const value of [usage, { usage }, { usage: { prompt_tokens: count, total_tokens: 1 } }]) {
        for (const read of [readChatUsage, readResponsesUsage]) {
          try {
            const reading = read(value);
            const size = reading?.contextTokens ?? null;
            expect(size === null || (Number.isSafeInteger(size) && size > 0)).toBe(true);
          } catch (error) {
            expect(error).toMatchObject({ name: 'UsageCountError', code: 'invalid_count' });
          }
        }
      }
    }),
  );
});
