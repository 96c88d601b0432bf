/** The shared vectors, which the libraries in all languages must pass. */
import { describe, expect, test } from 'vitest';
import { tokensAt as tokensAtLine } from '../../../core/accounting/state';
import stateVectors from '../../../core/vectors/states.json';
import trackerVectors from '../../../core/vectors/tracker.json';
import { shareOfPercent } from '../old-names';
import { ContextTracker } from './context-tracker';
import type { TrackerEvent } from './event-emitter';
import { isConcerning, needsReset, UsageSnapshot } from './tracker-options';

interface Step {
  op: string;
  id?: string;
  role?: string;
  tokens?: number;
  percent?: number;
  expect: {
    used: number;
    messages: string[];
    state: string;
    redlined: boolean;
    events: VectorEvent[];
    suggestions?: object[];
    roles?: Record<string, { messages: number; tokens: number }>;
  };
}
type VectorEvent = Record<string, unknown>;

interface TrackerCase {
  name: string;
  given: { limit: number; autoCompress: { atPercent: number; toPercent: number } | null };
  steps: Step[];
  expect: { history: number[] };
}

/** The library states shares, the vectors percentages. */
const roundPercent = (event: VectorEvent): VectorEvent =>
  typeof event.percent === 'number' ? { ...event, percent: Number(event.percent.toPrecision(12)) } : event;
const shareOf = (percent: number) => Number(shareOfPercent(percent));

describe('vectors of the tracker', () => {
  test.each(trackerVectors.cases as TrackerCase[])('$name', ({ given, steps, expect: atTheEnd }) => {
    const { limit, autoCompress } = given;
    const tracker = new ContextTracker<{ id: string; role: string }>({
      limit,
      ...(autoCompress
        ? {
            thresholds: { compressLine: shareOf(autoCompress.atPercent) },
            autoCompress: { target: shareOf(autoCompress.toPercent) },
          }
        : {}),
    });
    let events: VectorEvent[] = [];
    tracker.subscribe((event) => events.push(roundPercent(spelledAsVector(event))));

    for (const step of steps) {
      events = [];
      play(tracker, step);
      expect(tracker.currentUsage().contextTokens).toBe(step.expect.used);
      expect(tracker.messages().map(({ id }) => id)).toEqual(step.expect.messages);
      expect(tracker.messageCount()).toBe(step.expect.messages.length);
      expect(tracker.state()).toBe(step.expect.state);
      expect(tracker.isRedlined()).toBe(step.expect.redlined);
      expect(events).toEqual(step.expect.events.map(roundPercent));
      if (step.op === 'suggestions') {
        const advice = tracker.compressionSuggestions().map(({ description, ...rest }) => rest);
        expect(advice).toEqual(step.expect.suggestions);
      }
      if (step.op === 'composition') {
        const roles = tracker.composition().roles.map(({ role, ...counts }) => [role, counts]);
        expect(Object.fromEntries(roles)).toEqual(step.expect.roles);
      }
    }
    expect(tracker.history().map(({ contextTokens }) => contextTokens)).toEqual(atTheEnd.history);
  });
});

describe('vectors of states', () => {
  // A snapshot refuses a window of 0, which other readers read as 0 %.
  const known = stateVectors.cases.filter(({ given }) => given.used !== null && given.limit > 0);

  test.each(known)('$name', ({ given, expect: expected }) => {
    const used = Number(given.used);
    const usage = new UsageSnapshot(used, given.limit);
    expect(usage.pressure * 100).toBeCloseTo(Number(expected.percent), 9);
    expect(usage.state).toBe(expected.state);
    expect(isConcerning(usage.state)).toBe(expected.concerning);
    expect(needsReset(usage.state)).toBe(expected.needsReset);
    expect(usage.tokensRemaining).toBe(expected.tokensRemaining);
    expect(usage.tokensUntilWarning).toBe(expected.tokensUntilWarning);
    expect(usage.tokensUntilRestartLine).toBe(expected.tokensUntilRestart);
    for (const room of expected.hasRoomFor ?? []) {
      expect(usage.hasRoomFor(room.tokens)).toBe(room.expect);
    }
    for (const { line, tokensAt } of expected.lines ?? []) {
      expect(tokensAtLine(Number(line), given.limit)).toBe(tokensAt);
    }
  });
});

function play(tracker: ContextTracker<{ id: string; role: string }>, step: Step): void {
  const { op, id = '', role = '', tokens = 0, percent = 0 } = step;
  if (op === 'addMessage') tracker.addMessage({ id, role }, { tokens });
  else if (op === 'clear') tracker.clear();
  else if (op === 'compressToThreshold') tracker.compressTo(shareOf(percent));
  else expect(['suggestions', 'composition']).toContain(op);
}

function spelledAsVector(event: TrackerEvent): VectorEvent {
  switch (event.type) {
    case 'state_changed':
      return { type: 'stateChanged', from: event.from, to: event.to, percent: event.pressure * 100 };
    case 'approaching_redline':
      return { type: 'approachingRedline', percent: event.pressure * 100 };
    case 'redlined':
      return { type: 'redlined', used: event.contextTokens, limit: event.limit };
    case 'compressed':
      return {
        type: 'compressed',
        before: event.tokensBefore,
        after: event.tokensAfter,
        removed: event.removed,
      };
    default:
      return { ...event };
  }
}
