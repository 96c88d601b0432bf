/** Whole streams of agents and providers, message by message. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  ContextPressureError,
  ContextUsage,
  type ReportedTurn,
  UsageProcessor,
  type UsageProcessorOptions,
} from './index';
import { CLAUDE_STREAMS, OTHER_STREAMS, readStream } from './testing/recorded-streams';
import { recordingLogger } from './testing/recording-logger';

const tokens = (input: number, output: number, cacheRead = 0, cacheCreation = 0) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheCreation,
});
const call = (id: string, usage: object, fields: object = {}) => ({
  type: 'assistant',
  session_id: 's-1',
  parent_tool_use_id: null,
  message: { id, type: 'message', model: 'claude-haiku-4-5', usage },
  ...fields,
});
const result = (usage: object | null) => ({ type: 'result', session_id: 's-1', usage });

/** Counts a stream, and returns the processor with its reported turns and log lines. */
function count(messages: readonly unknown[], options: UsageProcessorOptions = {}) {
  const turns: ReportedTurn[] = [];
  const logger = recordingLogger();
  const processor = new UsageProcessor({ session: { turn: (turn) => turns.push(turn) }, logger, ...options });
  for (const message of messages) processor.process(message);
  const { inputTokens, outputTokens, cacheReadTokens } = processor.usage;
  return { processor, turns, logger, sums: [inputTokens, outputTokens, cacheReadTokens] };
}

const compacted = {
  type: 'system',
  subtype: 'compact_boundary',
  uuid: 'b-1',
  session_id: 's-1',
  compact_metadata: { trigger: 'auto', pre_tokens: 800 },
};

describe('a message about a boundary', () => {
  test.each([
    ['results', [result(tokens(800, 0)), compacted, result(tokens(300, 0))]],
    ['calls', [call('msg_1', tokens(10, 0, 790)), compacted, compacted, call('msg_2', tokens(300, 0))]],
  ])('starts a new context between %s, and is reported once', (_, messages) => {
    const reports: unknown[] = [];
    const session = {
      turn: () => reports.push('turn'),
      compaction: (fields: object) => reports.push(fields),
    };
    const { processor } = count(messages, { session, limit: 1_000 });
    expect([processor.pressure, processor.usage.usedTokens]).toEqual([0.3, 300]);
    const compaction = { trigger: 'auto', preTokens: 800, state: 'confirmed', boundary: 'b-1' };
    expect(reports).toEqual(['turn', compaction, 'turn']);
  });

  test('changes nothing if it is about a sub-agent', () => {
    const ofSub = { ...compacted, parent_tool_use_id: 'toolu_1' };
    expect(count([result(tokens(700, 0)), ofSub], { limit: 1_000 }).processor.pressure).toBe(0.7);
  });

  test('about a clear starts a new context', () => {
    const cleared: unknown[] = [];
    const session = { turn: () => 0, clear: (fields: object) => cleared.push(fields) };
    const messages = [result(tokens(700, 0)), { type: 'conversation_reset' }];
    expect(count(messages, { session, limit: 1_000 }).processor.pressure).toBe(0);
    expect(cleared).toEqual([{}]);
  });
});

/** The code that the README shows for counting usage. */
function readmeLoop() {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const section = readme.slice(readme.indexOf('\n## Counting usage'));
  const code = /```js\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
  const body = code.replace(/^import .*$/gm, '');
  expect(body).toContain('processor.process(message)');
  const names = ['ContextPressureError', 'UsageProcessor', 'query', 'prompt', 'session', 'console'];
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  return new AsyncFunction(...names, `${body}\nreturn processor;`) as (
    ...values: unknown[]
  ) => Promise<UsageProcessor>;
}

describe('the README’s loop', () => {
  const recorded = [...CLAUDE_STREAMS, ...OTHER_STREAMS].flatMap((stream) =>
    [undefined, 'cumulative' as const, 'snapshot' as const].map((lens) => ({ ...stream, lens })),
  );
  test.each(recorded)(
    'counts each turn of the recorded stream $name once, with the lens $lens',
    ({ name, sums: stated, size, lens }) => {
      const runningTotals = name === 'streams/codex-exec';
      // The stated sums are those of the whole stream, which may have several contexts.
      const usage = Object.assign(new ContextUsage(), { reset: () => undefined });
      const { sums, logger, turns, processor } = count(readStream(name), {
        usage,
        lens,
        runningTotals,
        restartLine: 2,
        limit: 300_000,
      });
      expect(processor.usage.isTrackingEnabled()).toBe(true);
      expect(sums).toEqual(stated);
      expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual([]);
      if (size !== null) expect(turns.at(-1)?.contextTokens).toBe(lens === 'cumulative' ? undefined : size);
      if (size !== null && lens !== 'cumulative') expect(processor.lens).toBe('snapshot');
    },
  );

  test('reads the window that Claude Code and Codex state', () => {
    expect(count(readStream('streams/claude-code-turn')).processor.limitSource).toBe('client');
    const { processor } = count(readStream('streams/codex-rollout'));
    expect([processor.limitSource, processor.limit]).toEqual(['client', 190_000]);
  });

  test('counts a stream of `system`, `assistant`, `user` and `result`, exactly as printed', async () => {
    const turns: ReportedTurn[] = [];
    async function* agent() {
      yield { type: 'system', subtype: 'init', session_id: 's-1', model: 'claude-haiku-4-5' };
      yield call('msg_1', tokens(10, 1, 0, 60_000));
      yield call('msg_1', tokens(10, 1, 0, 60_000));
      yield { type: 'user', session_id: 's-1', parent_tool_use_id: null };
      yield call('msg_2', tokens(5, 1, 60_000, 120_000));
      yield result(tokens(15, 400, 60_000, 180_000));
    }
    const lines: string[] = [];
    const console = {
      debug: () => null,
      info: () => null,
      warn: String,
      error: String,
      log: lines.push.bind(lines),
    };
    const session = { turn: (turn: ReportedTurn) => turns.push(turn) };
    const processor = await readmeLoop()(
      ContextPressureError,
      UsageProcessor,
      agent,
      'Fix it.',
      session,
      console,
    );
    expect([processor.usage.inputTokens, processor.usage.outputTokens]).toEqual([15, 400]);
    expect(processor.lens).toBe('snapshot');
    expect(turns.map(({ call: id, usage }) => [id, usage?.outputTokens])).toEqual([
      ['msg_1', 1],
      ['msg_2', 1],
      ['msg_2', 399],
    ]);
    // The second call fills 90 % of the window.
    expect(lines[0]).toMatch(/^Context pressure of session s-1: 90\.0%/);
  });
});

describe('messages without usage of the chain', () => {
  test.each<[string, unknown]>([
    ['a system message', { type: 'system', subtype: 'init' }],
    ['the end of a sub-agent', { type: 'system', subtype: 'task_notification', usage: { total_tokens: 9 } }],
    ['a tool result', { type: 'user', message: { content: [] } }],
    ['a part of a stream', { type: 'stream_event', event: { type: 'message_delta', usage: tokens(0, 9) } }],
    ['a message of a sub-agent', call('m', tokens(9, 9), { parent_tool_use_id: 'toolu_1' })],
    [
      'a message that Claude Code wrote itself',
      call('m', tokens(0, 0), { message: { model: '<synthetic>', usage: tokens(0, 0) } }),
    ],
    ['a chunk before the last one', { object: 'chat.completion.chunk', usage: null }],
    ['the start of a response', { type: 'response.created', response: { usage: null } }],
    ['the start of a thread', { type: 'thread.started', thread_id: 't' }],
    ['an object with other fields', { role: 'assistant', content: 'hello' }],
    ['a text', 'hello'],
  ])('%s changes nothing', (_, message) => {
    const { processor, turns, sums } = count([message, result(tokens(3, 4))]);
    expect(turns).toHaveLength(1);
    expect(sums).toEqual([3, 4, 0]);
    expect(processor.usage.isTrackingEnabled()).toBe(true);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a result', result(null)],
    ['a turn of Codex', { type: 'turn.completed' }],
    ['a response', { object: 'chat.completion', id: 'c-1', choices: [] }],
    ['a usage of the AI SDK', { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined }],
  ])('%s without usage disables tracking', (_, message) => {
    expect(count([message]).processor.usage.isTrackingEnabled()).toBe(false);
  });
});

describe('a call', () => {
  const chunk = (output: number, prompt = 100) => ({
    object: 'chat.completion.chunk',
    id: 'chatcmpl-abcdef',
    model: 'gpt-4o-2024-08-06',
    usage: { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output },
  });

  test('with a running usage in each chunk counts once, with its last output', () => {
    const { sums, turns, processor } = count([chunk(1), chunk(5), chunk(5), chunk(9)]);
    expect(sums).toEqual([100, 9, 0]);
    expect(turns.at(-1)).toMatchObject({ call: 'chatcmpl-abcdef', contextTokens: 109 });
    expect(processor.limit).toBe(128_000);
  });

  test('with an id that the server repeats for another prompt counts as a further call without an id', () => {
    const { sums, turns } = count([chunk(1), chunk(1, 200)]);
    expect(sums).toEqual([300, 2, 0]);
    expect(turns.map((turn) => turn.call)).toEqual(['chatcmpl-abcdef', undefined]);
  });

  test('of a provider with few ids is reported without an id', () => {
    expect(count([{ ...chunk(1), id: 'chatcmpl-417' }]).turns).toMatchObject([
      { usage: { inputTokens: 100 } },
    ]);
    expect(count([{ ...chunk(1), id: 'chatcmpl-417' }]).turns[0]).not.toHaveProperty('call');
  });

  test('in the raw events of an Anthropic stream counts once, at the event with the whole output', () => {
    const events = (id: string, input: number) => [
      {
        type: 'message_start',
        message: { id, type: 'message', model: 'claude-haiku-4-5', usage: tokens(3, 2, input, 500) },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 40 } },
      { type: 'message_stop' },
    ];
    const { sums, turns, processor } = count([...events('msg_1', 1_000), ...events('msg_2', 1_540)]);
    expect(sums).toEqual([6, 80, 2_540]);
    expect(turns).toMatchObject([
      { call: 'msg_1', contextTokens: 1_543 },
      { call: 'msg_2', contextTokens: 2_083, model: 'claude-haiku-4-5' },
    ]);
    expect(processor.lens).toBe('snapshot');
  });

  test('of LangChain or of a step of the AI SDK has the size of the context', () => {
    const usage_metadata = {
      input_tokens: 1_000,
      output_tokens: 10,
      total_tokens: 1_010,
      input_token_details: { cache_read: 900 },
    };
    const step = {
      type: 'finish-step',
      response: { id: 'chatcmpl-abcdef', modelId: 'gpt-4o' },
      usage: { inputTokens: 1_000, outputTokens: 10, totalTokens: 1_010, cachedInputTokens: 900 },
    };
    for (const message of [{ id: 'chatcmpl-abcdef', usage_metadata }, step]) {
      const { processor, turns } = count([message]);
      expect(processor.lens).toBe('snapshot');
      expect(turns).toMatchObject([
        { call: 'chatcmpl-abcdef', contextTokens: 1_010, usage: { inputTokens: 100 } },
      ]);
    }
  });

  test('count once each for all steps of a result of the AI SDK, whether or not each step was reported', () => {
    const stepOf = (id: string, inputTokens: number, outputTokens: number) => ({
      finishReason: 'tool-calls',
      response: { id, modelId: 'gpt-4o' },
      usage: { inputTokens, outputTokens },
    });
    const steps = [stepOf('resp_a', 1_000, 50), stepOf('resp_b', 1_400, 60), stepOf('resp_c', 1_800, 70)];
    const all = {
      ...steps[2],
      finishReason: 'stop',
      totalUsage: { inputTokens: 4_200, outputTokens: 180 },
      steps,
    };
    for (const messages of [[all], [...steps, all], [all, all]]) {
      const { processor, turns } = count(messages);
      expect(turns).toMatchObject([
        { call: 'resp_a', usage: { inputTokens: 1_000, outputTokens: 50 }, contextTokens: 1_050 },
        { call: 'resp_b', usage: { inputTokens: 1_400, outputTokens: 60 }, contextTokens: 1_460 },
        { call: 'resp_c', usage: { inputTokens: 1_800, outputTokens: 70 }, contextTokens: 1_870 },
      ]);
      expect([turns.length, processor.usage.usedTokens, processor.lens]).toEqual([3, 4_380, 'snapshot']);
    }
  });

  test('count for all steps of a result of the AI SDK, although an earlier one reaches the restart line', () => {
    const usages = [
      { inputTokens: 950, outputTokens: 10 },
      { inputTokens: 960, outputTokens: 20 },
    ];
    const steps = usages.map((usage) => ({ finishReason: 'stop', usage }));
    const processor = new UsageProcessor({ limit: 1_000 });
    expect(() => processor.process({ ...steps[1], steps })).toThrow(
      expect.objectContaining({ outputTokens: 30, pressure: 0.98 }),
    );
  });

  test('of an earlier context gets no output of a result', () => {
    const processor = new UsageProcessor({ limit: 1_000_000 });
    processor.process(call('msg_1', tokens(10, 1)));
    processor.reset({ sameThread: true });
    processor.process(result(tokens(10, 300)));
    expect([processor.usage.usedTokens, processor.state]).toEqual([0, 'unknown']);
  });
});
