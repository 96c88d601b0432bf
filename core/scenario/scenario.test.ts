import { describe, expect, it } from 'vitest';
import { summarizeSession } from '../accounting/summarize-session';
import { DEFAULT_THRESHOLDS } from '../accounting/thresholds';
import { itemSchema } from '../protocol/items';
import { demoFleet } from './demo-fleet';
import { findScenario } from './find-scenario';
import { foldScenario, placeStep } from './fold-scenario.fixture';
import { createRandom, seedOf } from './random';
import type { Scenario } from './types';

const BEGINNING = Date.UTC(2026, 9, 1, 9);
const MINUTE = 60_000;

const summaries = (scenario: Scenario, untilMs: number) =>
  [...foldScenario(scenario, BEGINNING, untilMs).values()].map(({ fold }) =>
    summarizeSession(fold, DEFAULT_THRESHOLDS),
  );

describe('random numbers', () => {
  it('are the same for the same seed, spread over the whole range, and differ between seeds', () => {
    const draw = (seed: number) => {
      const random = createRandom(seed);
      return Array.from({ length: 2_000 }, () => random.next());
    };
    expect(draw(5)).toEqual(draw(5));
    expect(draw(5)).not.toEqual(draw(6));
    const buckets = new Set(draw(5).map((value) => Math.floor(value * 20)));
    expect(buckets).toEqual(new Set(Array.from({ length: 20 }, (_, i) => i)));
    expect(new Set(Array.from({ length: 1_000 }, (_, i) => seedOf(3, i))).size).toBe(1_000);
  });
});

describe.each(['demo-fleet', 'fleet-of 40'])('scenario %s', (name) => {
  const options = { minutes: 30 };

  it('is the same each time, in order of time', () => {
    const first = [...findScenario(name, options).items()];
    expect([...findScenario(name, options).items()]).toEqual(first);
    const times = first.map((step) => step.afterMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(first.length).toBeGreaterThan(1);
  });

  it('contains no item that the protocol refuses', () => {
    let seq = 0;
    for (const step of findScenario(name, options).items()) {
      seq += 1;
      const parsed = itemSchema.safeParse(placeStep(step, BEGINNING, seq));
      expect(parsed.success ? [] : [step.item, parsed.error.issues]).toEqual([]);
    }
  });

  it('uses no call twice in a session, and one source and project per stream', () => {
    const calls = new Set<string>();
    const streams = new Map<string, string>();
    for (const step of findScenario(name, options).items()) {
      const traits = `${step.source} ${step.project} ${step.runner.name}`;
      expect(streams.get(step.stream) ?? traits).toBe(traits);
      streams.set(step.stream, traits);
      if (step.item.type !== 'turn' || step.item.call === undefined) continue;
      const call = `${step.item.session} ${step.item.call}`;
      expect(calls.has(call)).toBe(false);
      calls.add(call);
    }
  });

  it('has different sessions in each run', () => {
    const keys = (run: string) =>
      new Set([...findScenario(name, { ...options, run }).items()].map((step) => step.item.session));
    const again = keys('b');
    for (const key of keys('a')) expect(again.has(key)).toBe(false);
  });
});

describe('demo-fleet', () => {
  const sessions = foldScenario(demoFleet(), BEGINNING, 60 * MINUTE);
  const events = [...sessions.values()].flatMap((session) => session.events);
  it('is 24 sessions of several projects, clients, models and limits, each with a title', () => {
    expect(sessions.size).toBe(24);
    const starts = [...sessions.values()].flatMap(({ steps }) =>
      steps.flatMap(({ item, project }) => (item.type === 'session_start' ? [{ ...item, project }] : [])),
    );
    const distinct = (field: 'project' | 'client' | 'model' | 'title' | 'host') =>
      new Set(starts.map((start) => start[field])).size;
    expect(distinct('project')).toBe(4);
    expect(distinct('client')).toBeGreaterThanOrEqual(6);
    expect(distinct('model')).toBeGreaterThanOrEqual(6);
    expect(distinct('title')).toBe(24);
    const limits = new Set(summaries(demoFleet(), 0).map((summary) => summary.limit));
    expect(limits.size).toBeGreaterThanOrEqual(6);
  });

  it.each([
    ['restart', {}],
    ['compaction', { trigger: 'auto', state: 'confirmed' }],
    ['compaction', { trigger: 'manual', state: 'confirmed' }],
    ['context_cleared', {}],
    ['tracking_disabled', {}],
    ['tracking_enabled', {}],
    ['approaching_redline', {}],
    ['redlined', {}],
    ['archive_stored', {}],
    ['archive_failed', {}],
    ['turns_dropped', {}],
    ['session_ended', {}],
  ])('shows %s %o within its first hour', (kind, detail) => {
    expect(events).toContainEqual(expect.objectContaining({ kind, detail: expect.objectContaining(detail) }));
  });

  it('has sub-agents, estimates, cache storms and a silent drop', () => {
    const all = [...sessions.values()];
    const turns = all.flatMap((session) => session.turns);
    expect(turns.some((turn) => turn.chain !== 'main')).toBe(true);
    expect(turns.some((turn) => turn.flags.estimated)).toBe(true);
    const usages = all.flatMap(({ steps }) =>
      steps.flatMap(({ item }) => (item.type === 'turn' && item.usage ? [item.usage] : [])),
    );
    expect(usages.some((usage) => (usage.cacheRead ?? 0) > 1_000_000)).toBe(true);
    expect(usages.some((usage) => (usage.cacheCreation ?? 0) > 100_000)).toBe(true);
    const hasSilentDrop = all.some(({ turns: ts }) =>
      ts.some((turn, i) => {
        const before = ts[i - 1];
        return (
          before !== undefined &&
          before.chain === turn.chain &&
          before.context === turn.context &&
          (turn.usedSnapshot ?? 0) < (before.usedSnapshot ?? 0) - 10_000
        );
      }),
    );
    expect(hasSilentDrop).toBe(true);
  });

  it('has sessions at low, medium and high pressure at the start', () => {
    const now = summaries(demoFleet(), 0);
    const states = new Set(now.map((summary) => summary.state));
    expect([...states]).toEqual(expect.arrayContaining(['nominal', 'elevated', 'warning']));
    const pressures = now.flatMap(({ pressure }) => (pressure === null ? [] : [pressure]));
    for (const [from, to] of [
      [0, 0.25],
      [0.25, 0.5],
      [0.5, 0.75],
      [0.75, 2],
    ] as const) {
      expect(pressures.some((p) => p >= from && p < to)).toBe(true);
    }
  });

  it('keeps moving: most sessions have turns in any ten minutes', () => {
    for (const from of [0, 20, 50]) {
      const busy = new Set<string>();
      for (const step of demoFleet({ minutes: from + 10 }).items()) {
        if (step.item.type === 'turn' && step.afterMs >= from * MINUTE) busy.add(step.item.session);
      }
      expect(busy.size).toBeGreaterThanOrEqual(18);
    }
  });
});

describe('finding a scenario', () => {
  it('finds fleets of any size up to 10 000 and generates them one step at a time', () => {
    const started = new Set<string>();
    for (const step of findScenario('fleet-of 10000', { historyMinutes: 5, minutes: 0 }).items()) {
      started.add(step.item.session);
      if (started.size === 10_000) break;
    }
    expect(started.size).toBe(10_000);
  });

  it('refuses an unknown name and a size out of range', () => {
    expect(() => findScenario('demo-fleeet')).toThrow(
      'no scenario "demo-fleeet"; there are demo-fleet and fleet-of N',
    );
    expect(() => findScenario('fleet-of 0')).toThrow(/1 to 10000/);
    expect(() => findScenario('fleet-of 10001')).toThrow(RangeError);
  });
});
