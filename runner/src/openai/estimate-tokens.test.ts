import { expect, test } from 'vitest';
import { countPrompt, countText, estimateTokens } from './estimate-tokens';

test.each([
  ['', 0],
  ['a', 1],
  ['abcd', 1],
  ['abcde', 2],
  ['🌡️🌡️', 1],
])('%j is estimated at a quarter of its characters, rounded up: %i', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test('the characters of messages are those of their texts, tool calls and results, not of pictures', () => {
  const url = `data:image/png;base64,${'A'.repeat(10_000)}`;
  const messages = [
    { role: 'system', content: '12345' },
    {
      role: 'user',
      content: [
        { type: 'text', text: '123' },
        { type: 'image_url', image_url: { url } },
      ],
    },
    {
      role: 'assistant',
      tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'x', content: '1234' },
  ];
  expect(countText(messages)).toBe(5 + 3 + 3 + 4);
  expect(countPrompt('chat', { messages })).toBe(15);
});

test('nothing has no characters, and the name of a speaker is none of a message', () => {
  for (const nothing of [null, undefined, 5, true]) expect(countText(nothing)).toBe(0);
  expect(countText({ role: 'user', name: 'Ada', content: 'hi' })).toBe(2);
  expect(countText([null, { role: 'user', name: 'Ada', content: 'hi' }])).toBe(2);
});

test('the characters of a Responses request are those of its instructions and input', () => {
  expect(countPrompt('responses', { instructions: '123', input: '12' })).toBe(5);
  const input = [
    { role: 'user', content: [{ type: 'input_text', text: '1234' }] },
    { type: 'function_call_output', call_id: 'x', output: '12' },
  ];
  expect(countPrompt('responses', { input })).toBe(6);
});

test.each(['previous_response_id', 'conversation', 'prompt'])(
  'with %s the history lies at the provider, and its characters are unknown',
  (name) => {
    expect(countPrompt('responses', { input: '12', [name]: 'elsewhere' })).toBeNull();
    expect(countPrompt('responses', { input: '12', [name]: null })).toBe(2);
  },
);
