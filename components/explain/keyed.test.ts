import { describe, expect, it } from 'vitest';
import { say, tokens } from '@/core/explain/explanation';
import { divide, subtract, value } from '@/core/explain/formula';
import { expressionName, keyed, partName, phraseName } from './keyed';

describe('the pieces of an explanation', () => {
  it('have keys of their own, also where two are called the same', () => {
    const keys = keyed(say`${tokens(1)} of ${tokens(2)} of it`, partName).map(({ key }) => key);
    expect(new Set(keys).size).toBe(4);
  });

  it('keep their keys while their numbers move', () => {
    const at = (used: number) => say`${tokens(used)} tokens are in use`;
    expect(phraseName(at(1))).toBe(phraseName(at(2)));
    const of = (used: number) =>
      expressionName(
        divide(
          subtract(value('used', used, 'tokens'), value('left', 3, 'tokens')),
          value('limit', 9, 'tokens'),
        ),
      );
    expect(of(5)).toBe(of(6));
    expect(of(5)).toBe('divide(subtract(used,left),limit)');
  });
});
