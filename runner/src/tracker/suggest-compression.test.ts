import { describe, expect, test } from 'vitest';
import { trackerOf, type Weighed, weighed } from './testing/tracker';

function turns(count: number, tokens = 10): Weighed[] {
  return Array.from({ length: count }, () => weighed('user', tokens));
}

describe('suggestions', () => {
  test('ten user messages are no reason to remove any', () => {
    const tracker = trackerOf({ maxTokens: 10_000, messages: turns(10) });
    expect(tracker.compressionSuggestions()).toEqual([]);
  });

  test('of eleven user messages all but the newest five could go, with low impact', () => {
    const tracker = trackerOf({
      maxTokens: 10_000,
      messages: [...turns(3, 100), weighed('assistant', 7), weighed('system', 9), ...turns(8)],
    });
    expect(tracker.compressionSuggestions()).toEqual([
      {
        kind: 'remove_old_user_messages',
        description: 'Remove 6 oldest user messages',
        messages: 6,
        tokensSaved: 330,
        impact: 'low',
      },
    ]);
  });

  test('does not count tool results in user messages as user text', () => {
    const tracker = trackerOf({ maxTokens: 10_000, messages: turns(10) });
    const result = { ...weighed('user', 5), content: [{ type: 'tool_result', tool_use_id: 'a' }] };
    tracker.addMessage(result);
    expect(tracker.compressionSuggestions()).toEqual([]);
  });

  test('assistant messages at a third of the window are left alone', () => {
    const tracker = trackerOf({ maxTokens: 300, messages: [weighed('assistant', 100)] });
    expect(tracker.compressionSuggestions()).toEqual([]);
  });

  test('assistant messages above a third of the window could be summarised to half, with medium impact', () => {
    const tracker = trackerOf({
      maxTokens: 300,
      messages: [weighed('assistant', 60), weighed('assistant', 41)],
    });
    expect(tracker.compressionSuggestions()).toEqual([
      {
        kind: 'summarize_assistant_messages',
        description: 'Summarize assistant responses',
        messages: 2,
        tokensSaved: 50,
        impact: 'medium',
      },
    ]);
  });

  test('puts the lesser loss first', () => {
    const tracker = trackerOf({ maxTokens: 100, messages: [weighed('assistant', 50), ...turns(11)] });
    expect(tracker.compressionSuggestions().map(({ impact }) => impact)).toEqual(['low', 'medium']);
  });
});
