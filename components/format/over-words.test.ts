import { describe, expect, it } from 'vitest';
import { overWords } from './over-words';
import { makeSession } from './testing/make-session';

describe('what follows past the limit', () => {
  const over = (fields = {}) => overWords(makeSession(1, { used: 206_000, ...fields }));

  it('is a turn that may be refused where single calls are seen, and in Claude Code a compaction after it', () => {
    expect(over().row).toBe('next turn may be refused');
    expect(over().lines.join(' ')).toBe(over().row);
    expect(over().full).toContain('after a refusal Claude Code compacts');
  });

  it('is not claimed to be known of another client, of a sum, and of an estimate', () => {
    expect(over({ client: 'codex' }).full).toContain('what Codex does then is not known');
    expect(over({ client: null }).full).toContain('what its client does then is not known');
    expect(over({ estimated: true }).full).toMatch(/^If the estimate holds/);
    const sum = over({ lens: 'cumulative' });
    expect(sum.row).toBe('outcome unknown');
    expect(sum.lines.join(' ')).toBe(sum.row);
    expect(sum.full).toContain('it is unknown whether a turn is refused');
  });
});
