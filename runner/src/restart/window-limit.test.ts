import { describe, expect, test } from 'vitest';
import { recordingLogger } from '../usage/testing/recording-logger';
import { buildMinimalPrompt, createClaudeAgent, PromptTooLongError, runWithRestarts } from './index';
import type { Agent } from './restart-types';
import { answer, call, fakeQuery, success, toolResult } from './testing/claude-stream';

const WINDOW = 200_000;
const STEP = 15_000;
const tooLong = () =>
  Object.assign(new Error('400'), { error: { message: 'prompt is too long: 210000 > 200000' } });

interface Answer {
  sessionId?: string;
  type?: string;
  text?: string;
  usage?: object;
}

/** An agent that caches its whole prompt, and a provider that refuses a prompt above the window. */
function cachingAgent(shape: object, log: string[]): Agent<Answer> {
  return {
    async *start(_, { continuation }) {
      const sessionId = `s-${continuation}`;
      for (let size = STEP; continuation === 0 || size < 3 * STEP; size += STEP) {
        if (size > WINDOW) throw tooLong();
        log.push(`${sessionId} ${size}`);
        const usage = {
          input_tokens: 3,
          cache_read_input_tokens: size - STEP,
          cache_creation_input_tokens: STEP - 103,
          output_tokens: 100,
        };
        yield { sessionId, ...shape, usage };
      }
    },
    query: async () => '<checkpoint>state</checkpoint>',
  };
}

describe('an agent with prompt caching and the default lens', () => {
  test.each<[string, object, number]>([
    ['responses of Anthropic', { type: 'message', role: 'assistant', stop_reason: 'tool_use' }, 0.9],
    ['plain objects that state that the agent goes on', { goesOn: true }, 0.9],
    ['plain objects with Anthropic’s usage', {}, 0.975],
  ])('restarts at the line if it yields %s', async (_, shape, pressure) => {
    const log: string[] = [];
    const run = await runWithRestarts({ agent: cachingAgent(shape, log), prompt: 'p' });
    expect(run).toMatchObject({ outcome: 'finished', continuations: 1, checkpoint: 'state' });
    expect(run.contexts[0]).toMatchObject({ endedBy: 'pressure', pressure });
    expect(log.filter((line) => line.startsWith('s-0')).at(-1)).toBe(`s-0 ${pressure * WINDOW}`);
  });

  test('warns once if it is assumed that a usage is that of a single call', async () => {
    const logger = recordingLogger();
    const warnings = () =>
      logger.lines.filter((line) => line.startsWith('warn') && line.includes('single call'));
    await runWithRestarts({ agent: cachingAgent({ type: 'message' }, []), prompt: 'p', logger });
    await runWithRestarts({ agent: cachingAgent({}, []), prompt: 'p', logger, lens: 'snapshot' });
    expect(warnings()).toEqual([]);
    await runWithRestarts({ agent: cachingAgent({}, []), prompt: 'p', logger });
    expect(warnings()).toHaveLength(1);
  });
});

describe('a reader that passes on a usage', () => {
  const usage = { inputTokens: 60_000, outputTokens: 100, cachedInputTokens: 59_000 };
  const warningsOf = async (agent: Omit<Agent<object>, 'start' | 'query'>, message: object) => {
    const logger = recordingLogger();
    const start = async function* () {
      yield message;
    };
    await runWithRestarts({ agent: { start, query: async () => '', ...agent }, prompt: 'p', logger });
    return logger.lines.filter((line) => line.includes("set lens: 'snapshot'"));
  };

  test('causes a warning if the cache traffic is far above the sums', async () => {
    const createReader = () => () => ({ sessionId: 's', usage });
    expect(await warningsOf({ createReader }, {})).toHaveLength(1);
    expect(await warningsOf({ createReader, lens: 'cumulative' }, {})).toEqual([]);
  });

  test('causes no warning if it reads the result of an agent’s turn', async () => {
    const codex = { input_tokens: 60_000, output_tokens: 100, cached_input_tokens: 59_000 };
    expect(await warningsOf({}, { type: 'turn.completed', usage: codex })).toEqual([]);
  });

  test('counts a result of the AI SDK as a single call', async () => {
    const message = { sessionId: 's', finishReason: 'stop', usage };
    const start = async function* () {
      yield message;
    };
    const run = await runWithRestarts({
      agent: { start, query: async () => '' },
      prompt: 'p',
      limit: 100_000,
    });
    expect(run.contexts).toMatchObject([{ pressure: 0.601 }]);
  });
});

describe('a tool result that does not fit into the window', () => {
  const reading = (result: object): Agent<object> => ({
    async *start(_, { continuation }) {
      const sessionId = `s-${continuation}`;
      yield { sessionId, type: 'message', stop_reason: 'tool_use', usage: { input_tokens: 160_000 } };
      if (continuation === 0) yield { sessionId, ...result };
      yield { sessionId, type: 'message', usage: { input_tokens: 10 } };
    },
    query: async () => '<checkpoint>state</checkpoint>',
  });
  const content = '读取文件的内容。'.repeat(10_000);

  test.each<[string, object]>([
    ['a message of the role tool', { role: 'tool', content }],
    ['an output of OpenAI’s Responses', { type: 'function_call_output', output: content }],
    ['a user message of Claude', { type: 'user', message: { role: 'user', content } }],
  ])('restarts the agent before its next call: %s', async (_, result) => {
    const run = await runWithRestarts({ agent: reading(result), prompt: 'p', limit: 200_000 });
    expect(run.contexts.map(({ endedBy }) => endedBy)).toEqual(['forecast', 'agent']);
  });

  test('does not count a result that only a sub-agent reads', async () => {
    const result = { type: 'user', parent_tool_use_id: 'toolu_1', message: { role: 'user', content } };
    const run = await runWithRestarts({ agent: reading(result), prompt: 'p', limit: 200_000 });
    expect(run.continuations).toBe(0);
  });
});

describe('a prompt that is too long for the window', () => {
  const failing = (fail: (continuation: number) => unknown): Agent<Answer> => ({
    async *start(_, { continuation }) {
      yield { sessionId: `s-${continuation}`, usage: { prompt_tokens: 170_000, completion_tokens: 0 } };
      const failure = fail(continuation);
      if (failure instanceof Error) throw failure;
      if (failure !== undefined) yield failure as Answer;
    },
    query: async (sessionId) => `<checkpoint>state of ${sessionId}</checkpoint>`,
  });

  test.each<[string, unknown]>([
    ['an error of the provider', tooLong()],
    ['an error of the adapter', new PromptTooLongError()],
    ['a result with this reason', { type: 'result', is_error: true, terminal_reason: 'prompt_too_long' }],
    ['a result with this text', { type: 'result', is_error: true, result: 'Prompt is too long', usage: {} }],
    ['a failed turn of Codex', { type: 'turn.failed', error: { codexErrorInfo: 'contextWindowExceeded' } }],
    ['Anthropic’s stop reason', { type: 'message', stop_reason: 'model_context_window_exceeded' }],
  ])('restarts the agent with its checkpoint: %s', async (_, failure) => {
    const session = {
      reports: [] as object[],
      turn: () => 0,
      restart: (to: object) => session.reports.push(to),
    };
    const agent = failing((continuation) => (continuation === 0 ? failure : undefined));
    const run = await runWithRestarts({ agent, prompt: 'p', session });
    expect(run).toMatchObject({ outcome: 'finished', continuations: 1, checkpoint: 'state of s-0' });
    expect(run.contexts.map(({ endedBy }) => endedBy)).toEqual(['prompt_too_long', 'agent']);
    expect(session.reports).toMatchObject([{ reason: 'prompt too long', pressure: 0.85 }]);
  });

  test('restarts if the first call fails, with the minimal prompt', async () => {
    let starts = 0;
    const prompts: string[] = [];
    const agent: Agent<Answer> = {
      start: async (prompt, context) => {
        prompts.push(prompt);
        starts += 1;
        if (starts === 1) throw tooLong();
        return failing(() => undefined).start(prompt, context);
      },
      query: async () => 'unused',
    };
    const run = await runWithRestarts({ agent, prompt: 'the task' });
    expect(run).toMatchObject({ outcome: 'finished', continuations: 1, missingCheckpoint: 'no_session' });
    expect(prompts).toEqual(['the task', buildMinimalPrompt('the task')]);
  });

  test('restarts the Claude Agent SDK', async () => {
    const refused = { ...success, is_error: true, result: 'Prompt is too long', session_id: 'c-1' };
    const { query, calls } = fakeQuery([
      [call('m-1', 170_000), toolResult, answer('Prompt is too long'), refused],
      [answer('<checkpoint>state</checkpoint>')],
      [success],
    ]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p' });
    expect(run).toMatchObject({ outcome: 'finished', continuations: 1, checkpoint: 'state' });
    expect(calls[1]?.options).toMatchObject({ resume: 'c-1' });
  });

  test('ends the run if the owner’s callback throws this error', async () => {
    const mistake = new PromptTooLongError('of another program');
    const onMessage = () => {
      throw mistake;
    };
    const run = runWithRestarts({ agent: failing(() => undefined), prompt: 'p', onMessage });
    await expect(run).rejects.toBe(mistake);
  });

  test('does not restart an agent that only quotes the error', async () => {
    const quote = { type: 'message', text: 'prompt is too long', message: 'The prompt is too long, I read.' };
    const run = await runWithRestarts({ agent: failing(() => quote), prompt: 'p' });
    expect(run).toMatchObject({ outcome: 'finished', continuations: 0 });
  });
});
