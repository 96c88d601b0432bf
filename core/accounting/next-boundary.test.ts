import { describe, expect, it } from 'vitest';
import { snapshotRun } from './fold-testing';
import { nextBoundary, tokensUntilEnd } from './next-boundary';
import { summarizeSession } from './summarize-session';
import { DEFAULT_THRESHOLDS } from './thresholds';

const at = (used: number | null, limit: number | null, line = 0.9, point = 150_000 as number | null) =>
  nextBoundary(used, limit, line, point === null ? null : { tokens: point, source: 'rule', passed: false });

describe('the next boundary', () => {
  it('is the earliest boundary ahead', () => {
    expect(at(100_000, 200_000)).toEqual({
      kind: 'compaction',
      at: 150_000,
      source: 'rule',
      left: 50_000,
      passed: false,
    });
    expect(at(150_000, 200_000)).toMatchObject({ kind: 'restart', at: 180_000, left: 30_000 });
    expect(at(180_000, 200_000)).toMatchObject({ kind: 'limit', at: 200_000, left: 20_000, source: 'limit' });
  });

  it('is the last boundary, marked as passed, once all are passed', () => {
    const passed = { kind: 'limit', at: 200_000, source: 'limit', left: 0, passed: true };
    expect(at(200_000, 200_000)).toEqual(passed);
    expect(at(300_000, 200_000)).toEqual(passed);
    expect(at(300_000, 200_000, 0.9, 250_000)).toMatchObject({ kind: 'compaction', passed: true });
  });

  it('is the compaction rather than the restart, or the restart rather than the limit, at equal points', () => {
    expect(at(1, 200_000, 0.9, 180_000)).toMatchObject({ kind: 'compaction', at: 180_000 });
    expect(at(1, 200_000, 1, null)).toMatchObject({ kind: 'restart', at: 200_000 });
  });

  it('excludes the restart line of a session that never restarts', () => {
    expect(nextBoundary(1, 200_000, null, null)).toMatchObject({ kind: 'limit' });
    expect(at(1, 200_000, 1.1, null)).toMatchObject({ kind: 'limit' });
    expect(at(205_000, 200_000, 1.1, null)).toMatchObject({ kind: 'limit', passed: true });
  });

  it('is missing if the size is unknown, or if neither the limit nor the compaction point is known', () => {
    expect(at(null, 200_000)).toBeNull();
    expect(at(1, null, 0.9, null)).toBeNull();
    expect(at(1, 0, 0.9, null)).toBeNull();
    expect(at(1, null)).toMatchObject({ kind: 'compaction' });
    expect(at(1, 1, 0.9, null)).toMatchObject({ kind: 'limit', at: 1, passed: true });
  });
});

it('the tokens left count to the compaction point, else to the limit, and are never below 0', () => {
  expect(tokensUntilEnd({ used: 100, limit: 200, compactsAt: 167 })).toBe(67);
  expect(tokensUntilEnd({ used: 100, limit: 200, compactsAt: null })).toBe(100);
  expect(tokensUntilEnd({ used: 180, limit: 200, compactsAt: 167 })).toBe(0);
});

it('the tokens left are unknown if the size or the boundary is unknown', () => {
  expect(tokensUntilEnd({ used: null, limit: 200, compactsAt: 167 })).toBeNull();
  expect(tokensUntilEnd({ used: 100, limit: null, compactsAt: null })).toBeNull();
});

describe('a compaction point that the client passed', () => {
  const run = () => {
    const begun = snapshotRun(200_000);
    begun.add('session_start', { client: 'claude-code', clientVersion: '2.1.330' });
    for (const tokens of [150_000, 160_000, 170_000]) begun.reads(tokens);
    return begun;
  };
  const summary = ({ state }: ReturnType<typeof run>) => summarizeSession(state, DEFAULT_THRESHOLDS);

  it('is still expected after one reading above it, because the client compacts before the next call', () => {
    expect(summary(run())).toMatchObject({ compactsAt: 167_000, compactionPassed: null });
  });

  it('is still expected after a reading without a further call', () => {
    const session = run();
    session.add('reading', { contextTokens: 175_000 });
    expect(summary(session)).toMatchObject({ used: 175_000, compactsAt: 167_000 });
  });

  it('is passed and unobserved after a further call, and the next boundary counts down', () => {
    const session = run();
    session.reads(175_000);
    const { nextBoundary: next, ...passed } = summary(session);
    expect(passed).toMatchObject({ compactsAt: null, compactionPassed: 167_000 });
    expect(next).toMatchObject({ kind: 'limit', at: 200_000 });
    expect(tokensUntilEnd({ ...passed, used: 175_000 })).toBe(25_000);
  });

  it('is not a boundary of the following contexts', () => {
    const session = run();
    session.reads(175_000);
    session.add('compaction', { trigger: 'manual', state: 'confirmed', boundary: 'b' });
    session.reads(40_000);
    expect(summary(session).nextBoundary).toMatchObject({ kind: 'limit', at: 200_000 });
  });

  it('is not passed by a drop, and is expected again in another window', () => {
    const dropped = run();
    dropped.reads(90_000);
    expect(summary(dropped).compactsAt).toBe(167_000);
    const larger = run();
    larger.reads(175_000);
    larger.reads(176_000, { limit: 1_000_000 });
    expect(summary(larger)).toMatchObject({ compactsAt: 967_000, compactionPassed: null });
  });
});
