import { describe, expect, test } from 'vitest';
import {
  createAiSdkAgent,
  createAnthropicAgent,
  createOpenAIAgent,
  type ModelMessage,
  PromptTooLongError,
  runWithRestarts,
} from './index';

const usage = { input_tokens: 5, output_tokens: 2, cache_read_input_tokens: 1_000 };
const say = (text: string, fields: object = {}) => ({
  id: `msg_${text}`,
  model: 'claude-sonnet-4-5',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  usage,
  ...fields,
});
const useTool = (name: string, input = 1_000) => ({
  ...say('looking', { stop_reason: 'tool_use', usage: { ...usage, input_tokens: input } }),
  content: [{ type: 'tool_use', id: 'toolu_1', name, input: { path: 'a' } }],
});

interface Body {
  messages: { role: string; content: unknown }[];
}

/** A client for Anthropic that gives these answers in order; it throws an answer that is an Error. */
function anthropic(...answers: unknown[]) {
  const bodies: Body[] = [];
  const create = async (body: Body) => {
    bodies.push(structuredClone(body));
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { bodies, client: { messages: { create: create as never } } };
}

const run = async (agent: Parameters<typeof runWithRestarts<ModelMessage>>[0]['agent'], limit = 200_000) => {
  const turns: object[] = [];
  const messages: ModelMessage[] = [];
  const session = { turn: (turn: object) => turns.push(turn), restart: () => 0 };
  const onMessage = (message: ModelMessage) => void messages.push(message);
  return {
    turns,
    messages,
    run: await runWithRestarts({ agent, prompt: 'task', session, limit, onMessage, retryMs: 1 }),
  };
};

describe('an agent of Anthropic', () => {
  test('yields calls with their stop reasons, and the results of tools', async () => {
    const { client, bodies } = anthropic(useTool('read'), say('done'));
    const agent = createAnthropicAgent({ client, request: { model: 'm' }, runTool: async () => 'content' });
    const { messages, turns } = await run(agent);
    expect(messages.map(({ type, text, stopReason }) => [type, text, stopReason])).toEqual([
      ['call', '', 'tool_use'],
      ['tool_result', 'content', null],
      ['call', 'done', 'end_turn'],
    ]);
    expect(bodies[1]).toMatchObject({
      model: 'm',
      messages: [
        { role: 'user', content: 'task' },
        { role: 'assistant' },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'content' }] },
      ],
    });
    expect(turns).toMatchObject([{ contextTokens: 2_002 }, { call: 'msg_done', contextTokens: 1_007 }]);
  });

  test.each<[string, string, object]>([
    ['a tool that throws', 'Error: no file', { runTool: () => Promise.reject(new Error('no file')) }],
    ['an unknown tool', 'Error: There is no tool "read"', {}],
  ])('gives the model the error of %s', async (_, text, options) => {
    const { client } = anthropic(useTool('read'), say('done'));
    const { messages } = await run(createAnthropicAgent({ client, request: {}, ...options }));
    expect(messages[1]).toMatchObject({ type: 'tool_result', text });
  });

  test('asks for the checkpoint without the last answer if its tool results are too long', async () => {
    const full = anthropic(
      useTool('read', 100),
      useTool('read', 170_000),
      new PromptTooLongError(),
      new PromptTooLongError(),
      say('state'),
      say('done'),
    );
    const agent = createAnthropicAgent({ client: full.client, request: {}, runTool: async () => 'x' });
    const { run: result } = await run(agent);
    expect(result).toMatchObject({ continuations: 1, checkpoint: 'state' });
    const [, , , first, second] = full.bodies.map(({ messages }) => messages.length);
    expect([first, second]).toEqual([6, 4]);
  });

  test('does not run the tools of an answer that is cut off', async () => {
    const { client, bodies } = anthropic({ ...useTool('read'), stop_reason: 'max_tokens' });
    await run(createAnthropicAgent({ client, request: {}, runTool: async () => 'x' }));
    expect(bodies).toHaveLength(1);
  });

  test('goes on after a paused turn', async () => {
    const { client, bodies } = anthropic(say('paused', { stop_reason: 'pause_turn' }), say('done'));
    await run(createAnthropicAgent({ client, request: {} }));
    expect(bodies[1]?.messages).toMatchObject([{ role: 'user' }, { role: 'assistant' }]);
  });
});

test('an agent of OpenAI starts each conversation with the system message, and parses the input of tools', async () => {
  const tool = { id: 'call_1', function: { name: 'read', arguments: '{"path":"a"}' } };
  const answers = [{ content: null, tool_calls: [tool] }, { content: 'done' }].map((message) => ({
    choices: [{ message: { role: 'assistant', ...message } }],
    usage: { prompt_tokens: 9, completion_tokens: 1 },
  }));
  const bodies: Body[] = [];
  const create = async (body: Body) => {
    bodies.push(structuredClone(body));
    return answers.shift();
  };
  const inputs: unknown[] = [];
  const runTool = async ({ input }: { input: unknown }) => String(inputs.push(input));
  const client = { chat: { completions: { create: create as never } } };
  await run(createOpenAIAgent({ client, request: {}, system: 'Be brief.', runTool }));
  expect(bodies[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  expect(inputs).toEqual([{ path: 'a' }]);
});

test('an agent of the AI SDK restarts before a call if the results of its tools do not fit', async () => {
  let calls = 0;
  const generateText = async ({ messages: [first] }: Body) => {
    calls += 1;
    const isFirst = calls === 1;
    const output = { type: 'text', value: '读取文件的内容。'.repeat(10_000) };
    const result = {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 't', toolName: 'read', output }],
    };
    return {
      text: JSON.stringify(first?.content).includes('CONTINUING') ? 'done' : '<checkpoint>state</checkpoint>',
      finishReason: isFirst ? 'tool-calls' : 'stop',
      usage: { inputTokens: isFirst ? 160_000 : 90, outputTokens: 10 },
      response: { id: `r-${calls}`, messages: [{ role: 'assistant' }, ...(isFirst ? [result] : [])] },
    };
  };
  const agent = createAiSdkAgent({ generateText: generateText as never, request: {} });
  const { run: result } = await run(agent);
  expect(result.contexts.map(({ endedBy }) => endedBy)).toEqual(['forecast', 'agent']);
  expect(result).toMatchObject({ checkpoint: 'state', lastMessage: { text: 'done' } });
});

test('an agent of the AI SDK keeps the results of the tools that the SDK ran', async () => {
  const bodies: Body[] = [];
  const steps = ['tool-calls', 'stop'];
  const generateText = async (options: Body) => {
    bodies.push(structuredClone({ messages: options.messages }));
    const finishReason = steps.shift();
    const messages = [{ role: 'assistant' }, ...(finishReason === 'stop' ? [] : [{ role: 'tool' }])];
    const response = { id: `r-${steps.length}`, modelId: 'gpt-5', messages };
    return {
      text: 'hi',
      finishReason,
      usage: { inputTokens: 90, outputTokens: 10, cachedInputTokens: 80 },
      response,
    };
  };
  const { turns } = await run(createAiSdkAgent({ generateText: generateText as never, request: {} }));
  expect(bodies[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  expect(turns).toMatchObject([
    {
      call: 'r-1',
      model: 'gpt-5',
      usage: { inputTokens: 10, cacheReadTokens: 80, outputTokens: 10 },
      contextTokens: 100,
    },
    { call: 'r-0' },
  ]);
});

test('an agent of the AI SDK counts each step of a call', async () => {
  const steps = [90, 120].map((inputTokens, at) => ({
    response: { id: `r-${at}`, modelId: 'gpt-5' },
    usage: { inputTokens, outputTokens: 10 },
  }));
  const generateText = async () => ({ ...steps[1], text: 'hi', finishReason: 'stop', steps });
  const { turns } = await run(createAiSdkAgent({ generateText: generateText as never, request: {} }));
  expect(turns).toMatchObject([
    { call: 'r-0', model: 'gpt-5', contextTokens: 100 },
    { call: 'r-1', model: 'gpt-5', contextTokens: 130 },
  ]);
});
