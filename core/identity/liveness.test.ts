import { describe, expect, it } from 'vitest';
import { idleAt, type LivenessFacts, livenessOf } from './liveness';

const HOUR = 3_600_000;
const facts = (changed: Partial<LivenessFacts> = {}): LivenessFacts => ({
  lastActivityAtMs: 10 * HOUR,
  ended: false,
  backfill: false,
  ...changed,
});

describe('a session', () => {
  it('is live until nothing came for the whole time, and idle from then on', () => {
    expect(livenessOf(facts(), 11 * HOUR - 1, HOUR)).toBe('live');
    expect(livenessOf(facts(), 11 * HOUR, HOUR)).toBe('idle');
    expect(idleAt(facts(), 11 * HOUR - 1, HOUR)).toBe(11 * HOUR);
    expect(idleAt(facts(), 11 * HOUR, HOUR), 'it is idle already').toBeNull();
  });

  it('without any activity is idle, even right after the epoch', () => {
    const never = facts({ lastActivityAtMs: null });
    expect(livenessOf(never, HOUR / 2, HOUR)).toBe('idle');
    expect(idleAt(never, HOUR / 2, HOUR)).toBeNull();
  });

  it('that was imported is never live, and one that ended has ended', () => {
    expect(livenessOf(facts({ backfill: true }), 10 * HOUR, HOUR)).toBe('idle');
    expect(livenessOf(facts({ backfill: true, ended: true }), 10 * HOUR, HOUR)).toBe('ended');
    expect(idleAt(facts({ ended: true }), 10 * HOUR, HOUR)).toBeNull();
  });
});
