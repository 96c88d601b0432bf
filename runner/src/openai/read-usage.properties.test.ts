import { expect, test } from 'vitest';
import { fc } from '../../../core/testing/property-runs';
import { readChatUsage, readResponsesUsage } from './read-usage';

test('returns a reading, null or a UsageCountError for any value', () => {
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
