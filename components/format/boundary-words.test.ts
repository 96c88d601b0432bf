import { describe, expect, it } from 'vitest';
import type { Session } from '@/core/api/session';
import { boundaryTitle, boundaryWord, clientName, overWords, passedLineWords } from './boundary-words';
import { MADE_AT, makeSession } from './testing/make-session';

const plain = (text: string | null) => text?.replaceAll('\u00a0', ' ') ?? null;

describe('the next boundary', () => {
  it.each([
    ['compaction', 'claude-code', 'Claude Code compacts', 'compacts'],
    ['compaction', 'gemini-cli', 'Gemini CLI compacts', 'compacts'],
    ['restart', 'codex', 'Runner restarts', 'restarts'],
    ['limit', null, 'Reaches limit', 'limit'],
  ] as const)('%s of %s reads "%s"', (kind, client, title, word) => {
    expect([boundaryTitle({ kind }, client), boundaryWord({ kind })]).toEqual([title, word]);
  });

  it('keeps the name of an unknown client', () => {
    expect([clientName('my-agent'), clientName(null)]).toEqual(['my-agent', 'Client']);
  });
});

describe('a passed restart line', () => {
  const past = (turnsSince: number) => ({
    restartLinePassed: { at: new Date(MADE_AT - 60_000).toISOString(), turnsSince },
  });
  it.each<[Partial<Session>, string | null]>([
    [past(9), 'restart line passed 9 turns ago, no restart seen'],
    [past(1), 'restart line passed 1 turn ago, no restart seen'],
    [past(0), 'restart line passed with the last turn, no restart seen'],
    [{ restartLinePassed: null }, 'restart line passed, no restart seen'],
    [{ used: 170_000 }, null],
    [{ restartLine: null }, null],
    [{ state: 'untracked' }, null],
  ])('%j reads %s', (fields, words) => {
    expect(plain(passedLineWords(makeSession(1, { used: 186_000, ...fields })))).toBe(words);
  });
});

describe('the text past the limit', () => {
  const over = (fields: Parameters<typeof makeSession>[1]) => overWords(makeSession(1, fields));

  it('warns that the next turn may be refused, and names a known reaction of the client', () => {
    expect(over({}).lines).toEqual(['next turn', 'may be refused']);
    expect(over({ client: 'claude-code' }).full).toContain('after a refusal Claude Code compacts');
    expect(over({ client: 'own' }).full).toContain('the outcome is unknown');
    expect(over({ client: null }).full).toContain('the outcome is unknown');
    expect(over({ estimated: true }).full).toMatch(/^If the estimate holds/);
  });

  it('states that the outcome is unknown if a sum passed the limit', () => {
    expect(over({ lens: 'cumulative' }).lines).toEqual(['outcome', 'unknown']);
  });
});
