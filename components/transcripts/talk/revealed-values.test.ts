import { describe, expect, it } from 'vitest';
import { addRevealed, NOTHING_REVEALED, revealedIn } from './revealed-values';

describe('A secret that lies in two entries', () => {
  it('is shown in each with the part that lies there, and in no other', () => {
    const told = { rule: 'private key', line: 0 };
    const values = addRevealed(NOTHING_REVEALED, [
      { ...told, secret: 3, entry: 7, value: 'BEGIN KEY' },
      { ...told, secret: 3, entry: 8, value: 'END KEY' },
    ]);
    expect([7, 8, 9].map((entry) => revealedIn(values, 3, entry))).toEqual([
      'BEGIN KEY',
      'END KEY',
      undefined,
    ]);
    const more = addRevealed(values, [{ ...told, secret: 4, entry: 7, value: 'x' }]);
    expect(revealedIn(more, 3, 8)).toBe('END KEY');
    expect(more.size).toBe(2);
  });
});
