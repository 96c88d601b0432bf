import { expect, test } from 'vitest';
import { countPrompt, estimateTokens } from './estimate-tokens';

test.each([
  ['', 0],
  ['a', 1],
  ['abcd', 1],
  ['abcde', 2],
  ['🌡️🌡️', 1],
])('%j is estimated at a quarter of its characters, rounded up: %i', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
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
