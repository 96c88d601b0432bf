import { describe, expect, it } from 'vitest';
import { effectiveTime } from './clock';
import { idleAt, livenessOf } from './liveness';
import { sessionId } from './session-id';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 5, 1);

describe('a session id', () => {
  it('is always the same for a project and a key', () => {
    expect(sessionId('web-shop', 'claude-code:-srv-shop/a1')).toBe(
      sessionId('web-shop', 'claude-code:-srv-shop/a1'),
    );
    expect(sessionId('web-shop', 'run-1')).toBe('536a20ae-395e-5cb4-90d2-3b4e09429abd');
  });

  it('is a UUID of version 5', () => {
    expect(sessionId('p', 'k')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('differs for two pairs with the same joined text', () => {
    const pairs = [
      ['a', 'b/c'],
      ['a/b', 'c'],
      ['a","b', 'c'],
      ['a', 'b","c'],
      ['ab', 'c'],
      ['a', 'bc'],
      ['', 'abc'],
    ] as const;
    expect(new Set(pairs.map(([project, key]) => sessionId(project, key))).size).toBe(pairs.length);
  });
});

describe('liveness', () => {
  const facts = { lastActivityAtMs: NOW, ended: false, backfill: false };
  const never = { ...facts, lastActivityAtMs: null };

  it.each([
    ['live for the whole time limit after an item', facts, NOW + 10 * MINUTE - 1, 'live', NOW + 10 * MINUTE],
    ['idle from then on', facts, NOW + 10 * MINUTE, 'idle', null],
    ['ended once the end was reported', { ...facts, ended: true }, NOW, 'ended', null],
    ['never live for a back-fill', { ...facts, backfill: true }, NOW, 'idle', null],
    ['ended for a back-fill that ended', { ...facts, backfill: true, ended: true }, NOW, 'ended', null],
    ['idle before the first item', never, NOW, 'idle', null],
    ['idle before the first item, even right after the epoch', never, 5 * MINUTE, 'idle', null],
  ] as const)('is %s', (_, given, nowMs, liveness, idleAtMs) => {
    expect(livenessOf(given, nowMs, 10 * MINUTE)).toBe(liveness);
    expect(idleAt(given, nowMs, 10 * MINUTE)).toBe(idleAtMs);
  });

  it('depends on the given time limit', () => {
    expect(livenessOf(facts, NOW + 6 * MINUTE, 5 * MINUTE)).toBe('idle');
  });
});

describe('the effective time', () => {
  const reported = { runnerMs: NOW, serverMs: NOW, clockBehindMs: null, backfill: false };

  it('is the runner’s while its clock is correct', () => {
    expect(effectiveTime({ ...reported, serverMs: NOW + 5 * MINUTE })).toEqual({ at: NOW, clockOff: false });
  });

  it('is the server’s, flagged, if the runner’s clock is more than 5 minutes off for a live item', () => {
    const serverMs = NOW + 5 * MINUTE + 1;
    expect(effectiveTime({ ...reported, serverMs })).toEqual({ at: serverMs, clockOff: true });
  });

  it('is the server’s, flagged, if the runner’s time is in the future', () => {
    const serverMs = NOW - 2_000;
    expect(effectiveTime({ ...reported, serverMs })).toEqual({ at: serverMs, clockOff: true });
    expect(effectiveTime({ ...reported, serverMs, backfill: true }).clockOff).toBe(true);
  });

  it('is the runner’s if the clock is at most a second ahead and at most five minutes off', () => {
    expect(effectiveTime({ ...reported, serverMs: NOW - 1_000 }).clockOff).toBe(false);
    expect(effectiveTime({ ...reported, serverMs: NOW - 1_001 }).clockOff).toBe(true);
    for (const clockBehindMs of [5 * MINUTE, -5 * MINUTE]) {
      expect(effectiveTime({ ...reported, clockBehindMs }).clockOff).toBe(false);
    }
    for (const clockBehindMs of [5 * MINUTE + 1, -5 * MINUTE - 1]) {
      expect(effectiveTime({ ...reported, clockBehindMs }).clockOff).toBe(true);
    }
  });

  it('stays the runner’s for an item that waited in the queue of a runner with a correct clock', () => {
    const serverMs = NOW + 60 * MINUTE;
    expect(effectiveTime({ ...reported, serverMs, clockBehindMs: 200 })).toEqual({
      at: NOW,
      clockOff: false,
    });
    expect(effectiveTime({ ...reported, serverMs, clockBehindMs: 6 * MINUTE }).clockOff).toBe(true);
  });

  it('stays the runner’s for a back-fill, however long ago', () => {
    const serverMs = NOW + 400 * 24 * 60 * MINUTE;
    expect(effectiveTime({ ...reported, serverMs, backfill: true })).toEqual({ at: NOW, clockOff: false });
  });
});
