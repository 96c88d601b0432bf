import { describe, expect, it } from 'vitest';
import type { Session } from '@/core/api/session';
import {
  boundaryTitle,
  boundaryWord,
  clientName,
  overWords,
  passedLineWords,
  realEnd,
  realEndBrief,
  realEndWords,
} from './boundary-words';
import { MADE_AT, makeBoundary, makeSession } from './testing/make-session';

const plain = (text: string | null) => text?.replaceAll('\u00a0', ' ') ?? null;

describe('the next boundary', () => {
  it.each([
    ['compaction', 'rule', 'claude-code', 'Claude Code compacts', 'compacts'],
    ['compaction', 'rule', 'gemini-cli', 'Gemini CLI compacts', 'compacts'],
    ['restart', 'runner', 'codex', 'Runner restarts', 'restarts'],
    ['restart', 'setting', 'codex', 'Restart due', 'restart line'],
    ['limit', 'limit', null, 'Limit reached', 'limit'],
  ] as const)('%s by %s of %s reads "%s"', (kind, source, client, title, word) => {
    const boundary = { kind, source };
    expect([boundaryTitle(boundary, client), boundaryWord(boundary)]).toEqual([title, word]);
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

describe('the boundary after a restart line that no runner acts on', () => {
  const line = { kind: 'restart', source: 'setting', at: 180_000 } as const;
  const nearLine = (fields: Partial<Session> = {}) =>
    makeSession(1, { used: 178_000, nextBoundary: makeBoundary(2, line), tokensPerMinute: 2_000, ...fields });

  it('is the limit, or the client’s compaction if that comes first', () => {
    expect(realEnd(nearLine())).toEqual({ kind: 'limit', at: 200_000, minutes: 12 });
    expect(plain(realEndBrief(nearLine()))).toBe('limit in 12 min');
    expect(plain(realEndWords(nearLine()))).toBe('no restart seen here; limit 200 k in about 12 min');
    const compacts = nearLine({ compactsAt: 190_000 });
    expect(realEnd(compacts)).toEqual({ kind: 'compaction', at: 190_000, minutes: 7 });
    expect(plain(realEndWords(compacts))).toContain('Claude Code compacts at 190 k in about 7 min');
  });

  it.each<Partial<Session>>([
    { tokensPerMinute: null },
    { liveness: 'idle' },
    { nextBoundary: makeBoundary(null, line) },
  ])('has no time if the time is unknown: %j', (fields) => {
    expect(realEnd(nearLine(fields))?.minutes).toBeNull();
    expect(realEndBrief(nearLine(fields))).toBeNull();
  });

  it('is null for a runner’s own line and for other boundaries', () => {
    for (const boundary of [makeBoundary(2, { ...line, source: 'runner' }), makeBoundary(2)]) {
      expect(realEnd(nearLine({ nextBoundary: boundary }))).toBeNull();
    }
  });
});

describe('the text past the limit', () => {
  const over = (fields: Parameters<typeof makeSession>[1]) => overWords(makeSession(1, fields));

  it('warns that the next turn may be refused, and names a known reaction of the client', () => {
    expect(over({}).lines).toEqual(['next turn', 'may be refused']);
    expect(over({ client: 'claude-code' }).full).toContain('after a refusal Claude Code compacts');
    expect(over({ client: 'own' }).full).toContain('what own does then is not known');
    expect(over({ client: null }).full).toContain('what its client does then is not known');
    expect(over({ estimated: true }).full).toMatch(/^If the estimate holds/);
  });

  it('states that the outcome is unknown if a sum passed the limit', () => {
    expect(over({ lens: 'cumulative' }).lines).toEqual(['outcome', 'unknown']);
  });
});
