import { describe, expect, test } from 'vitest';
import { ContextTracker } from './context-tracker';
import { recordEvents, trackerOf, type Weighed, weighed } from './testing/tracker';

function tokensLeft(tracker: ContextTracker<Weighed>): number[] {
  return tracker.messages().map(({ tokens }) => tokens);
}

function filled(weights: Weighed[], maxTokens = 100): ContextTracker<Weighed> {
  return trackerOf({ maxTokens, messages: weights });
}

describe('compression', () => {
  test('removes the oldest messages first, and none once the target is reached', () => {
    const tracker = filled([11, 22, 33, 14].map((tokens) => weighed('user', tokens)));
    expect(tracker.compressToThreshold(60)).toEqual({ tokensBefore: 80, tokensAfter: 47, removed: 2 });
    expect(tokensLeft(tracker)).toEqual([33, 14]);
    expect(tracker.currentUsage().tokensUsed).toBe(47);
  });

  test('stops at the target exactly', () => {
    const tracker = filled([25, 25, 25].map((tokens) => weighed('user', tokens)));
    expect(tracker.compressToThreshold(50).removed).toBe(1);
  });

  test('rounds the target down to whole tokens', () => {
    const tracker = filled(
      [2, 2, 2].map((tokens) => weighed('user', tokens)),
      7,
    );
    tracker.compressToThreshold(57);
    expect(tracker.currentUsage().tokensUsed).toBe(2);
  });

  test('keeps system messages at any position', () => {
    const tracker = filled([
      weighed('user', 20),
      weighed('system', 11),
      weighed('system', 12),
      weighed('assistant', 20),
      weighed('developer', 13),
      weighed('user', 24),
    ]);
    tracker.compressToThreshold(0);
    expect(tokensLeft(tracker)).toEqual([11, 12, 13]);
  });

  test('leaves at least one message, the newest', () => {
    const tracker = filled([60, 70].map((tokens) => weighed('user', tokens)));
    tracker.compressToThreshold(0);
    expect(tokensLeft(tracker)).toEqual([70]);
    expect(tracker.compressToThreshold(0)).toEqual({ tokensBefore: 70, tokensAfter: 70, removed: 0 });
  });

  test('does nothing where the context is below the target, empty, or holds system messages alone', () => {
    for (const tracker of [
      filled([weighed('user', 20), weighed('user', 20)]),
      filled([]),
      filled([weighed('system', 60), weighed('system', 60)]),
    ]) {
      const events = recordEvents(tracker);
      const before = tracker.messageCount();
      expect(tracker.compressToThreshold(40).removed).toBe(0);
      expect(tracker.messageCount()).toBe(before);
      expect(events).toEqual([]);
    }
  });

  test('emits itself first, then the new state, and nothing else on the way down', () => {
    const tracker = filled([60, 60].map((tokens) => weighed('user', tokens)));
    const events = recordEvents(tracker);
    tracker.compressToThreshold(80);
    expect(events).toEqual([
      { type: 'compressed', tokensBefore: 120, tokensAfter: 60, removed: 1 },
      { type: 'state_changed', from: 'redlined', to: 'elevated', usagePercent: 60 },
    ]);
  });

  test('re-arms the restart line when usage falls below it', () => {
    const tracker = filled([50, 45].map((tokens) => weighed('user', tokens)));
    tracker.compressToThreshold(50);
    const events = recordEvents(tracker);
    tracker.addMessage(weighed('user', 45));
    expect(events.map(({ type }) => type)).toEqual(['state_changed', 'approaching_redline']);
  });

  test('refuses a target that is no percentage of at least 0', () => {
    const tracker = filled([weighed('user', 60), weighed('user', 60)]);
    for (const target of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => tracker.compressToThreshold(target)).toThrow(RangeError);
    }
    expect(tracker.compressToThreshold(150).removed).toBe(0);
  });
});

describe('automatic compression', () => {
  test('begins at 80 per cent and goes down to 50', () => {
    const tracker = trackerOf({ maxTokens: 100, autoCompress: true });
    for (const tokens of [30, 20, 29]) tracker.addMessage(weighed('user', tokens));
    expect(tracker.messageCount()).toBe(3);
    expect(tracker.addMessage(weighed('user', 1)).tokensUsed).toBe(50);
    expect(tokensLeft(tracker)).toEqual([20, 29, 1]);
  });

  test('its line and its target can be set', () => {
    const tracker = trackerOf({
      maxTokens: 100,
      config: { autoCompressPercent: 60 },
      autoCompress: { targetPercent: 20 },
    });
    for (const tokens of [30, 29]) tracker.addMessage(weighed('user', tokens));
    expect(tracker.messageCount()).toBe(2);
    expect(tracker.addMessage(weighed('user', 1)).tokensUsed).toBe(1);
  });

  test('a line at or below the usual target halves it, so that reaching the line frees something', () => {
    const tracker = trackerOf({ maxTokens: 100, config: { autoCompressPercent: 50 }, autoCompress: true });
    for (const tokens of [25, 25]) tracker.addMessage(weighed('user', tokens));
    expect(tracker.currentUsage().tokensUsed).toBe(25);
  });

  test('a line above 100 is never reached', () => {
    const tracker = trackerOf({ maxTokens: 100, config: { autoCompressPercent: 101 }, autoCompress: true });
    for (const tokens of [100, 100]) tracker.addMessage(weighed('user', tokens));
    expect(tracker.messageCount()).toBe(2);
  });
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
    const tracker = new ContextTracker({ maxTokens: 100, toolPairs });
    for (const [message, tokens] of messages) tracker.addMessage(message, { tokens });
    return tracker;
  }

  test('leave together, so that what is left is still a valid conversation', () => {
    const tracker = conversation();
    expect(tracker.compressToThreshold(60)).toEqual({ tokensBefore: 90, tokensAfter: 20, removed: 3 });
    expect(tracker.messages()).toEqual([messages[2]?.[0], messages[4]?.[0]]);
  });

  test('stay where they are all there is', () => {
    const tracker = new ContextTracker({ maxTokens: 100 });
    tracker.addMessage(call, { tokens: 60 });
    tracker.addMessage(result, { tokens: 60 });
    expect(tracker.compressToThreshold(0).removed).toBe(0);
  });
});
