import { describe, expect, test } from 'vitest';
import { type AlertFacts, changesAt, holds, type RunnerFacts, runnerHolds } from './conditions';
import type { AlertCondition } from './rule';

const NOW = Date.UTC(2026, 10, 21, 12);
const MINUTE_MS = 60_000;

const facts = (more: Partial<AlertFacts> = {}): AlertFacts => ({
  project: 'shop',
  runner: 'desk',
  model: 'model-x',
  title: 'Payments',
  branch: 'main',
  state: 'nominal',
  pressure: 0.5,
  used: 50_000,
  limit: 100_000,
  backfill: false,
  endedAt: null,
  lastTurnAt: new Date(NOW).toISOString(),
  forecast: null,
  compacting: null,
  trouble: null,
  tokensPerTurn: 1_000,
  tokensPerMinute: 1_000 / 1.5,
  ...more,
});
const range = (low: number, mid: number, high: number) => ({ low, mid, high });
const forecast: AlertFacts['forecast'] = {
  kind: 'compaction',
  at: 100_000,
  turns: range(2, 4, 9),
  minutes: range(3, 6, 12),
  certainty: 'fair',
  tokensPerTurn: 1_000,
};
const at = (minutes: number) => NOW + minutes * MINUTE_MS;
const isOn = (condition: AlertCondition, more: Partial<AlertFacts>, minutes = 0, isActive = false) =>
  holds(condition, facts(more), at(minutes), isActive);

describe('a condition', () => {
  test.each<[string, AlertCondition, Partial<AlertFacts>]>([
    ['pressure', { kind: 'pressure', atLeast: 0.8 }, { pressure: 0.8 }],
    ['over limit', { kind: 'over_limit' }, { state: 'redlined', pressure: 1.2 }],
    ['tracking lost', { kind: 'tracking_lost' }, { state: 'untracked', pressure: 0 }],
    ['thrash', { kind: 'thrash' }, { trouble: { kind: 'thrash', sentence: '' } }],
    ['cache storm', { kind: 'cache_storm' }, { trouble: { kind: 'cache_storm', sentence: '' } }],
    [
      'compaction announced',
      { kind: 'compaction', state: 'announced' },
      { compacting: { trigger: 'auto', at: new Date(NOW).toISOString() } },
    ],
    ['forecast in turns', { kind: 'forecast', unit: 'turns', within: 4, end: 'mid' }, { forecast }],
    ['forecast in minutes', { kind: 'forecast', unit: 'minutes', within: 3, end: 'low' }, { forecast }],
    ['silent', { kind: 'silent', minutes: 5 }, { lastTurnAt: new Date(at(-5)).toISOString() }],
  ])('%s holds, but not in an ended or back-filled session, nor in another state', (_, condition, more) => {
    expect(isOn(condition, more)).toBe(true);
    expect(isOn(condition, {})).toBe(false);
    expect(isOn(condition, { ...more, backfill: true })).toBe(false);
    expect(isOn(condition, { ...more, endedAt: new Date(NOW).toISOString() })).toBe(false);
  });

  test('of pressure ends below its lower bound, and is unknown without a size', () => {
    const condition: AlertCondition = { kind: 'pressure', atLeast: 0.8, clear: 0.7 };
    expect(isOn(condition, { pressure: 0.75 })).toBe(false);
    expect(isOn(condition, { pressure: 0.75 }, 0, true)).toBe(true);
    expect(isOn(condition, { pressure: 0.69 }, 0, true)).toBe(false);
    expect(isOn(condition, { pressure: null })).toBeNull();
    expect(isOn(condition, { pressure: 0, state: 'untracked' }, 0, true)).toBeNull();
  });

  test('of a forecast counts down between turns until the session is silent', () => {
    const condition: AlertCondition = { kind: 'forecast', unit: 'minutes', within: 5, end: 'mid' };
    expect(isOn(condition, { forecast }, 0.5)).toBe(false);
    expect(isOn(condition, { forecast }, 1)).toBe(true);
    expect(changesAt(condition, facts({ forecast }), NOW, false)).toBe(at(1));
    // Four usual turns of 1.5 minutes: the countdown stops after six minutes.
    const far = { ...forecast, minutes: range(20, 60, 120), turns: range(20, 40, 80) };
    expect(changesAt(condition, facts({ forecast: far }), NOW, false)).toBeNull();
  });

  test('of silence starts at its time, and not in a session that was silent long before', () => {
    const condition: AlertCondition = { kind: 'silent', minutes: 5 };
    expect(changesAt(condition, facts(), NOW, false)).toBe(at(5));
    expect(isOn(condition, {}, 4.9)).toBe(false);
    expect(isOn(condition, {}, 5)).toBe(true);
    expect(isOn(condition, {}, 66)).toBe(false);
    expect(isOn(condition, {}, 66, true)).toBe(true);
  });
});

test('a runner is disconnected after its time, and its queue grows between two reports', () => {
  const runner: RunnerFacts = {
    project: 'shop',
    runner: 'desk',
    host: null,
    seenAt: NOW,
    queued: 500,
    queuedBefore: 400,
  };
  const away: AlertCondition = { kind: 'runner_disconnected', minutes: 5 };
  expect([4, 5, 66].map((minutes) => runnerHolds(away, runner, at(minutes), false))).toEqual([
    false,
    true,
    false,
  ]);
  const queue: AlertCondition = { kind: 'runner_queue', items: 500 };
  expect(runnerHolds(queue, runner, NOW, false)).toBe(true);
  expect(runnerHolds(queue, { ...runner, queuedBefore: 500 }, NOW, false)).toBe(false);
  expect(runnerHolds(queue, { ...runner, queued: null }, NOW, false)).toBe(false);
});
