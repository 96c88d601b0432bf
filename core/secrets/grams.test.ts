import { describe, expect, it } from 'vitest';
import { fc } from '../testing/property-runs';
import { gramsOf } from './secret-rule';

describe('The grams of a text', () => {
  it('have no false negatives, in upper or lower case', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        fc.string(),
        (before, part, after) => {
          const grams = gramsOf(`${before}${part}${after}`);
          expect(grams.mayHold(part)).toBe(true);
          const ascii = part.replace(/[A-Za-z]/g, (letter) =>
            letter < 'a' ? letter.toLowerCase() : letter.toUpperCase(),
          );
          expect(grams.mayHold(ascii)).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('reject parts that the text lacks', () => {
    const grams = gramsOf('const key = process.env.STRIPE; // the harbour master');
    expect(['sk_live_', 'ghp_', 'AKIA', 'PRIVATE KEY'].filter((part) => grams.mayHold(part))).toEqual([]);
  });
});
