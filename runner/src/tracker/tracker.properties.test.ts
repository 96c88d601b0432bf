import { describe, expect, test } from 'vitest';
import { fc } from '../../../core/testing/property-runs';
import type { TrackerEvent } from './event-emitter';
import { recordEvents, trackerOf, type Weighed, weighed } from './testing/tracker';

const message = fc
  .record({
    role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
    tokens: fc.oneof({ weight: 9, arbitrary: fc.nat(400) }, { weight: 1, arbitrary: fc.constant(0) }),
  })
  .map(({ role, tokens }) => weighed(role, tokens));
const messages = fc.array(message, { maxLength: 40 });
const share = fc.integer({ min: 0, max: 12_000 }).map((hundredths) => hundredths / 10_000);
const window = fc.integer({ min: 1, max: 4_000 });

function sum(list: readonly Weighed[]): number {
  return list.reduce((total, { tokens }) => total + tokens, 0);
}

describe('any sequence of operations', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: message.map((added) => ({ added, target: null })) },
    { weight: 1, arbitrary: share.map((target) => ({ added: null, target })) },
    { weight: 1, arbitrary: fc.constant({ added: null, target: null }) },
  );

  test('sums the messages, and emits every change of state', () => {
    fc.assert(
      fc.property(window, fc.boolean(), fc.array(step, { maxLength: 60 }), (limit, autoCompress, steps) => {
        const tracker = trackerOf({ limit, autoCompress });
        const events = recordEvents(tracker);
        for (const { added, target } of steps) {
          if (added !== null) tracker.addMessage(added);
          else if (target !== null) tracker.compressTo(target);
          else tracker.clear();
          const usage = tracker.currentUsage();
          expect(usage.contextTokens).toBe(sum(tracker.messages()));
          expect(usage.pressure).toBeCloseTo(usage.contextTokens / limit, 9);
          expect(stateTold(events)).toBe(usage.state);
        }
        expect(tracker.history()).toHaveLength(steps.filter(({ added }) => added !== null).length);
      }),
    );
  });

  test('emits the restart line exactly when it is reached from below', () => {
    fc.assert(
      fc.property(window, fc.array(fc.nat(300), { maxLength: 30 }), (limit, weights) => {
        const tracker = trackerOf({ limit });
        const events = recordEvents(tracker);
        let used = 0;
        let expected = 0;
        for (const tokens of weights) {
          const wasBelow = used * 10 < limit * 9;
          used += tokens;
          if (wasBelow && used * 10 >= limit * 9) expected += 1;
          tracker.addMessage(weighed('user', tokens));
        }
        expect(events.filter(({ type }) => type === 'approaching_redline')).toHaveLength(expected);
      }),
    );
  });
});

describe('compression', () => {
  test('keeps every system message and the order, leaves one message, and removes no more than needed', () => {
    fc.assert(
      fc.property(messages, window, share, (list, limit, target) => {
        const tracker = trackerOf({ limit, messages: list });
        const { removed, tokensBefore, tokensAfter } = tracker.compressTo(target);
        const left = tracker.messages();
        const goal = Number((BigInt(Math.round(target * 10_000)) * BigInt(limit)) / 10_000n);

        expect(left.filter(({ role }) => role === 'system')).toEqual(
          list.filter(({ role }) => role === 'system'),
        );
        const gone = list.filter((entry) => !left.includes(entry));
        expect(list.filter((entry) => left.includes(entry))).toEqual(left);
        expect([removed, tokensBefore, tokensAfter]).toEqual([gone.length, sum(list), sum(left)]);
        // Only the oldest removable messages are gone.
        const removable = list.filter(({ role }) => role !== 'system');
        expect(gone).toEqual(removable.slice(0, gone.length));
        if (list.length > 0) expect(left.length).toBeGreaterThanOrEqual(1);
        // The target is reached, or nothing more can be removed.
        const stuck = gone.length === removable.length || left.length === 1;
        expect(tokensAfter <= goal || stuck).toBe(true);
        // Before the last removal, the target was not reached.
        const last = gone.at(-1);
        if (last) expect(tokensAfter + last.tokens).toBeGreaterThan(goal);
      }),
    );
  });

  test('never separates a tool call from its result', () => {
    const exchange = fc.record({ words: fc.nat(50), call: fc.nat(50), result: fc.nat(50), gap: fc.nat(2) });
    fc.assert(
      fc.property(fc.array(exchange, { maxLength: 12 }), share, (exchanges, target) => {
        const list = exchanges.flatMap(({ words, call, result, gap }, index) => [
          weighed('user', words),
          { ...weighed('assistant', call), tool_calls: [{ id: `c${index}` }] },
          ...Array.from({ length: gap }, () => weighed('user', 1)),
          { ...weighed('tool', result), tool_call_id: `c${index}` },
        ]);
        const tracker = trackerOf({ limit: 500, messages: list });
        tracker.compressTo(target);
        const left = tracker.messages();
        const calls = left.flatMap((entry) => ('tool_calls' in entry ? entry.tool_calls : []));
        const results = left.flatMap((entry) =>
          'tool_call_id' in entry ? [{ id: entry.tool_call_id }] : [],
        );
        expect(calls).toEqual(results);
      }),
    );
  });
});

function stateTold(events: readonly TrackerEvent[]): string {
  let state = 'nominal';
  for (const event of events) {
    if (event.type === 'state_changed') state = event.to;
    if (event.type === 'cleared') state = 'nominal';
  }
  return state;
}
