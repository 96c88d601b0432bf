import { describe, expect, it } from 'vitest';
import { passedLineWords, realEnd, realEndBrief, realEndWords } from './line-words';
import { MADE_AT, makeBoundary, makeSession } from './testing/make-session';

const NBSP = '\u00a0';
const at = new Date(MADE_AT - 60_000).toISOString();
const setting = { kind: 'restart', source: 'setting', at: 180_000 } as const;

describe('a restart line that lies behind', () => {
  const past = (turnsSince: number) =>
    makeSession(1, { used: 186_000, restartLinePassed: { at, turnsSince } });

  it('lists the turns since', () => {
    expect(passedLineWords(past(9))).toBe(`restart line passed 9${NBSP}turns ago, no restart seen`);
    expect(passedLineWords(past(1))).toBe(`restart line passed 1${NBSP}turn ago, no restart seen`);
    expect(passedLineWords(past(0))).toBe('restart line passed with the last turn, no restart seen');
  });

  it('omits unknown turns', () => {
    const old = makeSession(1, { used: 186_000, restartLinePassed: null });
    expect(passedLineWords(old)).toBe('restart line passed, no restart seen');
  });

  it('is empty below the line, without a line, and for a session that is not tracked', () => {
    expect(passedLineWords(makeSession(1, { used: 170_000 }))).toBeNull();
    expect(passedLineWords(makeSession(1, { used: 186_000, restartLine: null }))).toBeNull();
    expect(passedLineWords(makeSession(1, { used: 186_000, state: 'untracked' }))).toBeNull();
  });
});

describe('what really comes after a restart line that is only a setting', () => {
  const nearLine = (fields = {}) =>
    makeSession(1, {
      used: 178_000,
      nextBoundary: makeBoundary(2, setting),
      tokensPerMinute: 2_000,
      ...fields,
    });

  it('is the limit, as long as until the line and on at the pace of the last turns', () => {
    expect(realEnd(nearLine())).toEqual({ kind: 'limit', at: 200_000, minutes: 12 });
    expect(realEndBrief(nearLine())).toBe(`limit in 12${NBSP}min`);
    expect(realEndBrief(nearLine({ tokensPerMinute: null }))).toBeNull();
    expect(realEndWords(nearLine())).toBe(`no restart seen here; limit 200${NBSP}k in about 12${NBSP}min`);
  });

  it('is the client’s compaction where that lies between the two', () => {
    const compacts = nearLine({ compactsAt: 190_000 });
    expect(realEnd(compacts)).toEqual({ kind: 'compaction', at: 190_000, minutes: 7 });
    expect(realEndWords(compacts)).toBe(
      `no restart seen here; Claude Code compacts at 190${NBSP}k in about 7${NBSP}min`,
    );
  });

  it('has no time where none is known or the session is idle', () => {
    expect(realEnd(nearLine({ tokensPerMinute: null }))?.minutes).toBeNull();
    expect(realEnd(nearLine({ liveness: 'idle' }))?.minutes).toBeNull();
    expect(realEnd(nearLine({ nextBoundary: makeBoundary(null, setting) }))?.minutes).toBeNull();
  });

  it('is asked of no line at which a runner acts, and of no other boundary', () => {
    expect(realEnd(nearLine({ nextBoundary: makeBoundary(2, { ...setting, source: 'runner' }) }))).toBeNull();
    expect(realEnd(nearLine({ nextBoundary: makeBoundary(2) }))).toBeNull();
  });
});
