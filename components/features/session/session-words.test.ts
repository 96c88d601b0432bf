import { describe, expect, it } from 'vitest';
import { contextOf, pointOf } from '../../charts/series-fixture';
import { sessionOf } from '../../format/testing/make-session';
import { lensSentence, resumeCommand, shortFolder, turnsSincePassed, unknownReason } from './session-words';

describe('resumeCommand', () => {
  it('returns each client’s own command, with the newest id', () => {
    expect(resumeCommand(sessionOf({ clientSessionIds: ['old-1', 'new-2'] }))).toBe('claude --resume new-2');
    const of = (client: string) => resumeCommand(sessionOf({ client, clientSessionIds: ['0199-a'] }));
    expect(of('codex')).toBe('codex resume 0199-a');
    expect(of('gemini')).toBe('gemini --resume 0199-a');
    expect(of('constructor')).toBeNull();
  });
  it('refuses an id with characters that a shell interprets, an unknown client and a missing id', () => {
    for (const id of ['x; rm -rf ~', '$(id)', '-h', 'a b', 'a\nb', ''])
      expect(resumeCommand(sessionOf({ clientSessionIds: [id] }))).toBeNull();
    expect(resumeCommand(sessionOf({ client: 'my-agent' }))).toBeNull();
    expect(resumeCommand(sessionOf({ clientSessionIds: [] }))).toBeNull();
  });
});

describe('unknownReason', () => {
  it('names the start of the gap and the last known value', () => {
    const contexts = [contextOf({ index: 0, endedBy: 'compaction' })];
    const reason = unknownReason(sessionOf({ lastKnownUsed: 167_000 }), contexts);
    expect(reason).toBe('since the compaction; last known 167\u00a0k');
    expect(unknownReason(sessionOf({ lastKnownUsed: null }), [])).toBe('no reading yet');
  });
});

describe('shortFolder', () => {
  it('shortens the home folder and keeps the parts that distinguish checkouts', () => {
    expect(shortFolder('/Users/soph/devenv/cli')).toBe('~/devenv/cli');
    expect(shortFolder('/srv/builds/2026/agents/worktree-7')).toBe('…/agents/worktree-7');
  });
});

describe('lensSentence', () => {
  it('explains 719 % by the cache reads of a session at 3.2 %', () => {
    const session = sessionOf({ lens: 'cumulative', used: 6_367, pressure: 0.031835 });
    const point = pointOf({ n: 1, used: 1_438_629, cacheRead: 1_432_262 });
    expect(lensSentence(session, 'cache-inflated', point).replaceAll(/[\u00a0\u202f]/g, ' ')).toBe(
      'With cache reads counted, turn 1 would read 719 %: 1 432 262 of its 1 438 629 tokens came from the cache. Pressure is 3.2 %, the sum of all turns. Each call of a turn reads the same context from the cache again, so a tool that adds up cache reads counts the context once per call.',
    );
  });
  it('mentions no single turn for a point of many turns or for a missing value', () => {
    const point = pointOf({ n: 9, turns: 9, used: 150_000, cacheRead: 900_000 });
    expect(lensSentence(sessionOf(), 'cache-inflated', point)).not.toContain('this turn');
    expect(lensSentence(sessionOf({ lens: 'cumulative' }), 'snapshot', null)).toContain('has no value');
  });
});

const trace = (...used: Array<number | null>) =>
  used.map((tokens, index) => pointOf({ n: index + 1, used: tokens }));

describe('turnsSincePassed', () => {
  it('counts from the turn that reached the line, not from the peak', () => {
    expect(turnsSincePassed(trace(100, 150, 170, 180, 160), 150)).toBe(3);
    expect(turnsSincePassed(trace(100, 150), 150)).toBe(0);
  });

  it('is null below the line, without a reading, and without turns', () => {
    for (const points of [trace(160, 149), trace(160, null), []])
      expect(turnsSincePassed(points, 150)).toBeNull();
  });

  it('counts only since the line was last passed, in the open context', () => {
    expect(turnsSincePassed(trace(160, 170, 140, 155, 156), 150)).toBe(1);
    const before = pointOf({ n: 1, used: 190, context: 0 });
    const after = [2, 3].map((n) => pointOf({ n, used: 180, context: 1 }));
    expect(turnsSincePassed([before, ...after], 150)).toBe(1);
  });

  it('is null if a point covers many turns, so that the passing turn is unknown', () => {
    const passedFrom = (used: number) =>
      turnsSincePassed([pointOf({ n: 8, used, turns: 8 }), pointOf({ n: 9, used: 170 })], 150);
    expect([passedFrom(160), passedFrom(140)]).toEqual([null, 0]);
  });
});
