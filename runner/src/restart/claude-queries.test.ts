import { expect, test } from 'vitest';
import { createClaudeAgent, loadPrompt, runWithRestarts } from './index';
import {
  answer,
  call,
  fakeQuery,
  type Message,
  type Options,
  success,
  toolResult,
} from './testing/claude-stream';

const full = [call('m-1', 190_000), toolResult, call('m-2', 190_000)];

test('asks the old session for the checkpoint, and continues in a fresh one', async () => {
  const { query, calls } = fakeQuery([full, [answer('<checkpoint>state'), success], [success]]);
  const start = { resume: 'earlier', continue: true, forkSession: true, sessionId: 'x' };
  const options: Options = { model: 'm', ...start };
  await runWithRestarts({ agent: createClaudeAgent({ query, options }), prompt: 'the task' });
  const asked = calls.map(({ options: { abortController, ...rest } }) => {
    expect(abortController).toBeInstanceOf(AbortController);
    expect(rest).toHaveProperty('includePartialMessages', true);
    const { includePartialMessages: _, ...own } = rest as Message;
    return own;
  });
  expect(asked).toEqual([options, { model: 'm', resume: 'c-1' }, { model: 'm' }]);
  expect(calls[0]?.prompt).toBe('the task');
  expect(calls[1]?.prompt).toBe(loadPrompt('checkpoint-request'));
  expect(calls[2]?.prompt).toContain('\n\nstate\n\n');
  expect(calls[0]?.options.abortController?.signal.aborted).toBe(true);
  expect(calls[2]?.options.abortController?.signal.aborted).toBe(false);
});

test('stops an agent that continues after its checkpoint', async () => {
  const { query, closed, delivered } = fakeQuery([
    full,
    [answer('<checkpoint>a'), answer('b</checkpoint>'), answer('and now I work on'), success],
    [success],
  ]);
  const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p' });
  expect(run.checkpoint).toBe('ab');
  expect(closed).toEqual([0, 1, 2]);
  expect(delivered[1]).toBe(3);
});

test('leaves the text of a sub-agent out of the checkpoint', async () => {
  const sub = { ...answer('<checkpoint>sub</checkpoint>'), parent_tool_use_id: 'toolu_1' };
  const { query } = fakeQuery([full, [sub, answer('main'), success], [success]]);
  const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p' });
  expect(run.checkpoint).toBe('main');
});

test('builds the checkpoint only from text blocks of the answer', async () => {
  const content = [
    { type: 'text', text: 'Goal: ' },
    { type: 'thinking', thinking: 'no', text: 'a thought' },
    { type: 'text', text: 'ship it' },
  ];
  const parts = answer('');
  const { query } = fakeQuery([full, [{ ...parts, message: { content } }, success], [success]]);
  const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p' });
  expect(run.checkpoint).toBe('Goal: ship it');
});

const boom = { subtype: 'error_during_execution', is_error: true, errors: ['boom'] };
test.each([
  ['the reason prompt_too_long', { ...success, terminal_reason: 'prompt_too_long' }, 'prompt_too_long'],
  ['the error text', { ...success, is_error: true, result: 'Prompt is too long' }, 'prompt_too_long'],
  ['another error', { ...success, ...boom }, 'failed'],
])('uses the minimal prompt if the checkpoint query fails with %s', async (_, result, missing) => {
  const failures = Array.from({ length: missing === 'failed' ? 5 : 1 }, () => [
    answer('Prompt is too long'),
    result,
  ]);
  const { query } = fakeQuery([full, ...failures, [success]]);
  const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p', retryMs: 1 });
  expect(run).toMatchObject({ outcome: 'finished', continuations: 1, missingCheckpoint: missing });
});

test('continues from a truncated checkpoint', async () => {
  const cut = { ...success, subtype: 'error_max_turns', is_error: true };
  const { query } = fakeQuery([full, [answer('<checkpoint>half'), cut], [success]]);
  const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p' });
  expect(run.checkpoint).toBe('half');
});

test('ends the running query by the owner’s own controller', async () => {
  const abortController = new AbortController();
  const { query, calls } = fakeQuery([[call('m-1', 1), success]]);
  await runWithRestarts({
    agent: createClaudeAgent({ query, options: { abortController } }),
    prompt: 'p',
    onMessage: ({ type }) => {
      if (type === 'assistant') abortController.abort(new Error('enough'));
    },
  });
  expect(calls[0]?.options.abortController?.signal.reason).toEqual(new Error('enough'));
});
