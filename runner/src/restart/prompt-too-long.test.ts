import { expect, test } from 'vitest';
import { isPromptTooLong, PromptTooLongError } from './index';
import { isPromptTooLongAnswer } from './prompt-too-long';

const named = (name: string, message = 'x') => Object.assign(new Error(message), { name });
const coded = (fields: object, message = 'x') => Object.assign(new Error(message), fields);

test.each<[string, unknown]>([
  ['this library’s own error', new PromptTooLongError()],
  ['an error named PromptTooLong', named('PromptTooLong')],
  ['the reason of a result of the Claude Agent SDK', { terminal_reason: 'prompt_too_long' }],
  ['OpenAI’s code', coded({ status: 400, code: 'context_length_exceeded' })],
  ['OpenAI’s code in the body', coded({ status: 400, error: { code: 'context_length_exceeded' } })],
  ['the code in the cause of an error', nested(1, { code: 'context_length_exceeded' })],
  ['Codex’s error', { type: 'turn.failed', error: { codexErrorInfo: 'contextWindowExceeded' } }],
  ['opencode’s error', { name: 'ContextOverflowError', data: { message: 'x' } }],
  ['Anthropic’s stop reason', { stop_reason: 'model_context_window_exceeded' }],
  ['llama.cpp’s type', { error: { code: 400, type: 'exceed_context_size_error', n_ctx: 256 } }],
  ['this library’s error, from another copy of it', named('PromptTooLongError')],
  ['LiteLLM’s error', named('ContextWindowExceededError')],
  ['a code five causes deep', nested(5, { code: 'context_length_exceeded' })],
  ['Anthropic’s 413', { type: 'error', error: { type: 'request_too_large', message: 'x' } }],
  ['a 413 of a gateway, without a type', coded({ status: 413 }, '413 Payload Too Large')],
  ['a 413 of the AI SDK', coded({ name: 'AI_APICallError', statusCode: 413 }, 'Content Too Large')],
  ['a 413 with an unknown type', coded({ status: 413, error: { type: 'api_error', message: 'x' } })],
])('recognises the error by its code or type: %s', (_, error) => {
  expect(isPromptTooLong(error)).toBe(true);
});

test.each([
  'Prompt is too long',
  'Prompt too long',
  'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 212213 tokens > 200000 maximum"}}',
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
  'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000',
  'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
  'ValidationException: Input is too long for requested model.',
  "Codex ran out of room in the model's context window.",
  "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
  'The decoder prompt (length 21535) is longer than the maximum model length of 16384.',
  'The prompt (total length 25938) is too long to fit into the model (context length 4096).',
  'the request exceeds the available context size. try increasing the context size',
  'Requested tokens (2285) exceed context window of 2048',
  'invalid params, context window exceeds limit (2013)',
  'This exceeds the model context window',
  "This exceeds the model's maximum context length",
])('recognises the error by its words if it has neither code nor type: %s', (message) => {
  expect(isPromptTooLong(new Error(message))).toBe(true);
  expect(isPromptTooLong({ type: 'error', error: { type: 'invalid_request_error', message } })).toBe(true);
});

const rateLimit = { status: 429, code: 'rate_limit_exceeded' };
const tokenRate = 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.';
test.each<[string, unknown]>([
  ['a rate limit', coded(rateLimit, 'Too many requests')],
  ['a request above the tokens per minute', coded({ ...rateLimit, type: 'tokens' }, tokenRate)],
  ['a limit of tokens per minute, without a code', new Error('Request too large: 100000 tokens per min')],
  ['a limit of tokens per minute, abbreviated', new Error('Request too large (TPM): 100000')],
  ['a limit of requests per day, abbreviated', new Error('Request too large (RPD): 100000')],
  ['a rate limit in one word', new Error('Request too large, ratelimit of your plan')],
  ['a 413 for a rate limit', coded({ status: 413, code: 'rate_limit_exceeded' }, 'Request too large')],
  ['a 413 for tokens per minute', coded({ status: 413, error: { message: 'over the limit (TPM)' } })],
  ['an empty code', { code: '', type: '…' }],
  ['a message that is not text', { message: ['Prompt is too long'] }],
  ['a code six causes deep', nested(6, { code: 'context_length_exceeded' })],
  ['a limit of tokens per day, without a code', new Error('Request too large: 100000 tokens per day')],
  ['an overloaded server', coded({ status: 529, type: 'overloaded_error' }, 'Overloaded')],
  ['a bad request of another kind', coded({ type: 'invalid_request_error' }, 'messages: at least one')],
  ['too many output tokens', coded({ code: 'max_output_tokens' }, 'the answer was cut')],
  ['a deleted session', new Error('No conversation found with session ID: 1')],
  ['undefined', undefined],
  ['null', null],
  ['an error that is its own cause', cyclic()],
])('does not recognise %s', (_, error) => {
  expect(isPromptTooLong(error)).toBe(false);
});

test('recognises the error by its text, or by the text of its cause', () => {
  expect(isPromptTooLong('Prompt is too long')).toBe(true);
  expect(isPromptTooLong({ error: 'the request exceeds the available context size' })).toBe(true);
});

test('recognises an answer that is only this error, but not an answer that mentions the error', () => {
  expect(isPromptTooLongAnswer(' Prompt is too long\n')).toBe(true);
  expect(isPromptTooLongAnswer('API Error: 400 {"message":"prompt is too long: 5 > 4"}')).toBe(true);
  expect(isPromptTooLongAnswer('## Goal\nShow an error when the prompt is too long')).toBe(false);
  expect(isPromptTooLongAnswer('Prompt is too long'.padEnd(400, '.'))).toBe(true);
  expect(isPromptTooLongAnswer('Prompt is too long'.padEnd(401, '.'))).toBe(false);
  expect(isPromptTooLongAnswer('Prompt is too long\n\n## Goal\nShip')).toBe(false);
  expect(isPromptTooLongAnswer('Shortened the title where the prompt is too long')).toBe(false);
  expect(isPromptTooLongAnswer('<checkpoint>prompt is too long</checkpoint>')).toBe(false);
  expect(isPromptTooLongAnswer('Request too large on tokens per min (TPM): Limit 30000')).toBe(false);
});

test.each([
  'Error: 400 The prompt is too long: 5 > 4',
  "This model's maximum context length is 128000 tokens.",
  '{"error":{"message":"the request exceeds the available context size"}}',
  'ValidationException: Input is too long for requested model.',
  '413 Request too large',
  'API error 400: prompt is too long',
  'A request is too large',
  'An input was too long',
])('recognises an answer in any vendor’s words: %s', (answer) => {
  expect(isPromptTooLongAnswer(answer)).toBe(true);
});

/** A chain of this many causes, with these fields on the innermost. */
function nested(times: number, fields: object): Error {
  let error: Error = coded(fields);
  for (let n = 0; n < times; n += 1) error = new Error('failed', { cause: error });
  return error;
}

function cyclic(): Error {
  const error = new Error('loop');
  error.cause = error;
  return error;
}
