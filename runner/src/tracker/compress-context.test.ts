import { describe, expect, test } from 'vitest';
import { ContextTracker } from './context-tracker';
import { recordEvents, trackerOf, type Weighed, weighed } from './testing/tracker';

function filled(weights: Weighed[], limit = 100): ContextTracker<Weighed> {
  return trackerOf({ limit, messages: weights });
}

describe('compression', () => {
  test('re-arms the restart line when usage falls below it', () => {
    const tracker = filled([50, 45].map((tokens) => weighed('user', tokens)));
    tracker.compressTo(0.5);
    const events = recordEvents(tracker);
    tracker.addMessage(weighed('user', 45));
    expect(events.map(({ type }) => type)).toEqual(['state_changed', 'approaching_redline']);
  });

  test('refuses a target that is not a share from 0 to 2', () => {
    const tracker = filled([weighed('user', 60), weighed('user', 60)]);
    for (const target of [-1, 50, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => tracker.compressTo(target)).toThrow(RangeError);
    }
    expect(tracker.compressTo(1.5).removed).toBe(0);
  });
});

describe('automatic compression', () => {
  test('has a configurable line and target', () => {
    const tracker = trackerOf({
      limit: 100,
      thresholds: { compressLine: 0.6 },
      autoCompress: { target: 0.2 },
    });
    for (const tokens of [30, 29]) tracker.addMessage(weighed('user', tokens));
    expect(tracker.messageCount()).toBe(2);
    expect(tracker.addMessage(weighed('user', 1)).contextTokens).toBe(1);
  });

  test('targets half of the line if the line is at or below the default target', () => {
    const tracker = trackerOf({ limit: 100, thresholds: { compressLine: 0.5 }, autoCompress: true });
    for (const tokens of [25, 25]) tracker.addMessage(weighed('user', tokens));
    expect(tracker.currentUsage().contextTokens).toBe(25);
  });
});

test('automatic compression keeps a new tool result together with its call', () => {
  const tracker = new ContextTracker({ limit: 100, autoCompress: true });
  const call = { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function' }] };
  const result = { role: 'tool', tool_call_id: 'c1', content: 'a large file' };
  for (const [message, tokens] of [
    [{ role: 'user', content: 'read it' }, 30],
    [call, 10],
    [result, 70],
  ] as const)
    tracker.addMessage(message, { tokens });
  expect(tracker.messages()).toEqual([call, result]);
});

describe('tool calls and their results', () => {
  const call = { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function' }] };
  const result = { role: 'tool', tool_call_id: 'c1', content: 'the file' };
  const messages: [object, number][] = [
    [{ role: 'user', content: 'read it' }, 10],
    [call, 30],
    [{ role: 'assistant', content: 'wait' }, 10],
    [result, 30],
    [{ role: 'user', content: 'thanks' }, 10],
  ];

  function conversation(toolPairs?: 'together' | 'apart'): ContextTracker {
    const tracker = new ContextTracker({ limit: 100, toolPairs });
    for (const [message, tokens] of messages) tracker.addMessage(message, { tokens });
    return tracker;
  }

  test('are removed together, so that the rest is a valid conversation', () => {
    const tracker = conversation();
    expect(tracker.compressTo(0.6)).toEqual({ tokensBefore: 90, tokensAfter: 20, removed: 3 });
    expect(tracker.messages()).toEqual([messages[2]?.[0], messages[4]?.[0]]);
  });
});

test('describes suggestions in words, and does not count tool results as user messages', () => {
  const messages = Array.from({ length: 10 }, () => weighed('user', 10));
  const tracker = trackerOf({ limit: 300, messages: [...messages, weighed('assistant', 101)] });
  const result = { ...weighed('user', 5), content: [{ type: 'tool_result', tool_use_id: 'a' }] };
  tracker.addMessage(result);
  const words = () => tracker.compressionSuggestions().map(({ description }) => description);
  expect(words()).toEqual(['Summarize assistant responses']);
  tracker.addMessage(weighed('user', 10));
  expect(words()).toEqual(['Remove 6 oldest user messages', 'Summarize assistant responses']);
});
