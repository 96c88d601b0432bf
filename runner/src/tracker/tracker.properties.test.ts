import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TrackerEvent } from './event-emitter';
import { recordEvents, trackerOf, type Weighed, weighed } from './testing/tracker';

const message = fc
  .record({
    role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
    tokens: fc.oneof({ weight: 9, arbitrary: fc.nat(400) }, { weight: 1, arbitrary: fc.constant(0) }),
  })
  .map(({ role, tokens }) => weighed(role, tokens));
const messages = fc.array(message, { maxLength: 40 });
const percent = fc.integer({ min: 0, max: 12_000 }).map((hundredths) => hundredths / 100);
const window = fc.integer({ min: 1, max: 4_000 });

function sum(list: readonly Weighed[]): number {
  return list.reduce((total, { tokens }) => total + tokens, 0);
}

describe('whatever is done', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: message.map((added) => ({ added, target: null })) },
    { weight: 1, arbitrary: percent.map((target) => ({ added: null, target })) },
    { weight: 1, arbitrary: fc.constant({ added: null, target: null }) },
  );

  test('sums the messages, and emits every change of state', () => {
    fc.assert(
      fc.property(
        window,
        fc.boolean(),
        fc.array(step, { maxLength: 60 }),
        (maxTokens, autoCompress, steps) => {
          const tracker = trackerOf({ maxTokens, autoCompress });
          const events = recordEvents(tracker);
          for (const { added, target } of steps) {
            if (added !== null) tracker.addMessage(added);
            else if (target !== null) tracker.compressToThreshold(target);
            else tracker.clear();
            const usage = tracker.currentUsage();
            expect(usage.tokensUsed).toBe(sum(tracker.messages()));
            expect(usage.usagePercent).toBeCloseTo((usage.tokensUsed / maxTokens) * 100, 6);
            expect(stateTold(events)).toBe(usage.state);
          }
          expect(tracker.history()).toHaveLength(steps.filter(({ added }) => added !== null).length);
        },
      ),
    );
  });

  test('emits the restart line exactly when it is reached from below', () => {
    fc.assert(
      fc.property(window, fc.array(fc.nat(300), { maxLength: 30 }), (maxTokens, weights) => {
        const tracker = trackerOf({ maxTokens });
        const events = recordEvents(tracker);
        let used = 0;
        let expected = 0;
        for (const tokens of weights) {
          const wasBelow = used * 10 < maxTokens * 9;
          used += tokens;
          if (wasBelow && used * 10 >= maxTokens * 9) expected += 1;
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
      fc.property(messages, window, percent, (list, maxTokens, target) => {
        const tracker = trackerOf({ maxTokens, messages: list });
        const { removed, tokensBefore, tokensAfter } = tracker.compressToThreshold(target);
        const left = tracker.messages();
        const goal = Number((BigInt(Math.round(target * 100)) * BigInt(maxTokens)) / 10_000n);

        expect(left.filter(({ role }) => role === 'system')).toEqual(
          list.filter(({ role }) => role === 'system'),
        );
        const gone = list.filter((entry) => !left.includes(entry));
        expect(list.filter((entry) => left.includes(entry))).toEqual(left);
        expect([removed, tokensBefore, tokensAfter]).toEqual([gone.length, sum(list), sum(left)]);
        // The oldest of what can leave, and nothing else.
        const removable = list.filter(({ role }) => role !== 'system');
        expect(gone).toEqual(removable.slice(0, gone.length));
        if (list.length > 0) expect(left.length).toBeGreaterThanOrEqual(1);
        // Reached, or nothing more could leave.
        const stuck = gone.length === removable.length || left.length === 1;
        expect(tokensAfter <= goal || stuck).toBe(true);
        // Without the last one that left, it was not reached yet.
        const last = gone.at(-1);
        if (last) expect(tokensAfter + last.tokens).toBeGreaterThan(goal);
      }),
    );
  });

  test('is foretold by the composition', () => {
    fc.assert(
      fc.property(messages, window, fc.integer({ min: 0, max: 100 }), (list, maxTokens, target) => {
        const tracker = trackerOf({ maxTokens, messages: list });
        const { roles, compression } = tracker.composition(target);
        expect(roles.reduce((total, { tokens }) => total + tokens, 0)).toBe(sum(list));
        expect(roles.reduce((total, role) => total + role.messages, 0)).toBe(list.length);
        const { removed, tokensAfter } = tracker.compressToThreshold(target);
        expect([compression?.messagesRemoved, compression?.tokensLeft]).toEqual([removed, tokensAfter]);
      }),
    );
  });

  test('never parts a tool call from its result', () => {
    const exchange = fc.record({ words: fc.nat(50), call: fc.nat(50), result: fc.nat(50), gap: fc.nat(2) });
    fc.assert(
      fc.property(fc.array(exchange, { maxLength: 12 }), percent, (exchanges, target) => {
        const list = exchanges.flatMap(({ words, call, result, gap }, index) => [
          weighed('user', words),
          { ...weighed('assistant', call), tool_calls: [{ id: `c${index}` }] },
          ...Array.from({ length: gap }, () => weighed('user', 1)),
          { ...weighed('tool', result), tool_call_id: `c${index}` },
        ]);
        const tracker = trackerOf({ maxTokens: 500, messages: list });
        tracker.compressToThreshold(target);
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

test('suggestions follow their two formulas', () => {
  fc.assert(
    fc.property(messages, fc.integer({ min: 1, max: 9_000 }), (list, maxTokens) => {
      const suggestions = trackerOf({ maxTokens, messages: list }).compressionSuggestions();
      const user = list.filter(({ role }) => role === 'user');
      const old = suggestions.find(({ kind }) => kind === 'remove_old_user_messages');
      expect(old !== undefined).toBe(user.length > 10);
      if (old) {
        expect([old.messages, old.tokensSaved, old.impact]).toEqual([
          user.length - 5,
          sum(user.slice(0, user.length - 5)),
          'low',
        ]);
      }
      const assistant = list.filter(({ role }) => role === 'assistant');
      const share = sum(assistant);
      const summary = suggestions.find(({ kind }) => kind === 'summarize_assistant_messages');
      expect(summary !== undefined).toBe(share > Math.floor(maxTokens / 3));
      if (summary) {
        expect([summary.messages, summary.tokensSaved, summary.impact]).toEqual([
          assistant.length,
          Math.floor(share / 2),
          'medium',
        ]);
      }
    }),
  );
});

test('the entry needs no package at run time', async () => {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL('index.ts', import.meta.url))],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    metafile: true,
  });
  const external = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(external.filter((path) => !path.startsWith('node:'))).toEqual([]);
});

function stateTold(events: readonly TrackerEvent[]): string {
  let state = 'nominal';
  for (const event of events) {
    if (event.type === 'state_changed') state = event.to;
    if (event.type === 'cleared') state = 'nominal';
  }
  return state;
}
