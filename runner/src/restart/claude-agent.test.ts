import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ReportedTurn } from '../usage/usage-session';
import { createClaudeAgent, loadPrompt, type RestartSession, runWithRestarts } from './index';

type Message = Record<string, unknown>;
interface Options {
  model?: string;
  resume?: string;
  continue?: boolean;
  forkSession?: boolean;
  sessionId?: string;
  abortController?: AbortController;
}

/** Four turns of one query of the Agent SDK 0.3.330, with two tools, a sub-agent and a manual compaction. */
const fixture = new URL('../../fixtures/claude-agent-sdk/query-stream.jsonl', import.meta.url);
const stream: Message[] = readFileSync(fixture, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

/** The SDK's `query`, playing one list of messages for each call. */
function fakeQuery(plays: readonly (readonly Message[])[]) {
  const calls: { prompt: string; options: Options }[] = [];
  const closed: number[] = [];
  return {
    calls,
    closed,
    async *query({ prompt, options = {} }: { prompt: string; options?: Options }) {
      const index = calls.push({ prompt, options }) - 1;
      try {
        yield* plays[index] ?? [];
      } finally {
        closed.push(index);
      }
    },
  };
}

function recordingSession(): RestartSession & { turns: ReportedTurn[]; events: string[] } {
  const turns: ReportedTurn[] = [];
  const events: string[] = [];
  return {
    turns,
    events,
    turn: (turn) => turns.push(turn),
    restart: ({ continuation }) => events.push(`restart ${continuation}`),
    alias: ({ client, clientSessionId }) => events.push(`alias ${client} ${clientSessionId}`),
    compaction: ({ trigger, preTokens, postTokens }) =>
      events.push(`compaction ${trigger} ${preTokens} ${postTokens}`),
    start: ({ lens }) => events.push(`start ${lens}`),
  };
}

function call(id: string, cacheRead: number, fields: Message = {}): Message {
  return {
    type: 'assistant',
    session_id: 'c-1',
    parent_tool_use_id: null,
    message: {
      id,
      model: 'claude-haiku-4-5',
      content: [{ type: 'text', text: 'x' }],
      usage: { input_tokens: 10, cache_read_input_tokens: cacheRead, output_tokens: 1 },
    },
    ...fields,
  };
}
const toolResult = { type: 'user', session_id: 'c-1', parent_tool_use_id: null };
const success = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  usage: { input_tokens: 1, output_tokens: 1 },
};
const answer = (text: string, session = 'c-1') => ({
  type: 'assistant',
  session_id: session,
  parent_tool_use_id: null,
  message: { id: 'm', content: [{ type: 'text', text }] },
});

describe('a real stream', () => {
  test('by its calls: each call of the main loop is one turn, and its size is the pressure', async () => {
    const session = recordingSession();
    const { query } = fakeQuery([stream]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p', session });
    expect(session.turns.map(({ call, contextTokens, basis }) => [call, contextTokens, basis])).toEqual([
      ['msg_fake_0003', 60_011, 'input'],
      ['msg_fake_0005', 60_706, 'input'],
      ['msg_fake_0008', 61_505, 'input'],
      ['msg_fake_0012', 62_404, 'input'],
      ['msg_fake_0016', 22_508, 'input'],
    ]);
    expect(session.turns.at(-1)).toMatchObject({
      usage: { input: 8, output: 1, cacheRead: 20_000, cacheCreation: 2500 },
      model: 'claude-sonnet-4-5-20250929',
      limit: 200_000,
    });
    expect(session.events).toEqual([
      'start snapshot',
      'alias claude-code 76469b65-126d-4f78-9fc8-a60abf7ac363',
      'compaction manual 62454 2687',
    ]);
    expect(run.contexts).toMatchObject([{ pressureRatio: 22_508 / 200_000, endedBy: 'agent' }]);
    expect(run.lastResult).toMatchObject({ type: 'result', result: 'After compaction.' });
  });

  test('by its results: each turn is one, sub-agents are in none, and the compaction starts anew', async () => {
    const session = recordingSession();
    const { query } = fakeQuery([stream]);
    const agent = createClaudeAgent({ query, lens: 'cumulative' });
    const run = await runWithRestarts({ agent, prompt: 'p', session });
    expect(session.turns.map(({ usage }) => [usage?.input, usage?.output, usage?.cacheRead])).toEqual([
      [17, 340, 60_000],
      [9, 140, 122_200],
      [0, 0, 0],
      [8, 33, 20_000],
    ]);
    expect(session.events).toContain('start cumulative');
    expect(run.contexts).toMatchObject([
      { inputTokens: 8, outputTokens: 33, cacheReadTokens: 20_000, pressureRatio: 41 / 200_000 },
    ]);
  });

  test('a lower threshold restarts it after the tools of the call that reached it', async () => {
    const { query, calls, closed } = fakeQuery([
      stream,
      [answer('<checkpoint>state</checkpoint>')],
      [success],
    ]);
    const heard: unknown[] = [];
    const run = await runWithRestarts({
      agent: createClaudeAgent<Options, Message>({ query }),
      prompt: 'p',
      threshold: 0.3,
      onMessage: ({ type }, { continuation }) => {
        if (continuation === 0) heard.push(type);
      },
    });
    expect(heard).toEqual(['system', 'assistant', 'assistant', 'assistant', 'assistant', 'user']);
    expect(run).toMatchObject({ continuations: 1, checkpoint: 'state' });
    expect(closed).toEqual([0, 1, 2]);
    expect(calls[1]?.options.resume).toBe('76469b65-126d-4f78-9fc8-a60abf7ac363');
  });
});

describe('pressure', () => {
  test('a context that is full when the agent is done is not restarted', async () => {
    const { query, calls } = fakeQuery([[call('m-1', 190_000), success]]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p' });
    expect(calls).toHaveLength(1);
    expect(run.contexts[0]).toMatchObject({ pressureRatio: 190_010 / 200_000, endedBy: 'agent' });
  });

  test('by its results a full context is restarted at the result', async () => {
    const full = { ...success, session_id: 'c-1', usage: { input_tokens: 180_000, output_tokens: 0 } };
    const { query, calls } = fakeQuery([[full], [answer('state')], [success]]);
    await runWithRestarts({ agent: createClaudeAgent({ query, lens: 'cumulative' }), prompt: 'p' });
    expect(calls.map(({ options }) => options.resume)).toEqual([undefined, 'c-1', undefined]);
  });

  test('calls of sub-agents and messages that the client made up are none of its own', async () => {
    const session = recordingSession();
    const subAgent = call('m-2', 199_000, { parent_tool_use_id: 'toolu_1' });
    const synthetic = {
      ...call('m-3', 0),
      message: { id: 'm-3', model: '<synthetic>', usage: { input_tokens: 5, output_tokens: 5 } },
    };
    const empty = { ...call('m-4', 0), message: { id: 'm-4', usage: { input_tokens: 0, output_tokens: 0 } } };
    const { query } = fakeQuery([[subAgent, toolResult, synthetic, empty, toolResult, success]]);
    await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p', session });
    expect(session.turns).toEqual([]);
  });

  test('the window that a result states is the limit from then on', async () => {
    const stated = {
      ...success,
      modelUsage: {
        'claude-haiku-4-5': { outputTokens: 5, contextWindow: 200_000 },
        'claude-sonnet-5': { outputTokens: 500, contextWindow: 1_000_000 },
      },
    };
    const { query } = fakeQuery([[stated, call('m-1', 500_000 - 10), toolResult]]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p' });
    expect(run.contexts[0]?.pressureRatio).toBe(0.5);
  });

  test('an SDK that states no usage at all loses tracking, not the run', async () => {
    const session = recordingSession();
    const { query } = fakeQuery([[answer('hello'), { ...success, usage: null }]]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p', session });
    expect(session.turns).toEqual([{ usage: null }]);
    expect(run.outcome).toBe('finished');
  });

  test('a figure that cannot be counted costs its call, not the run', async () => {
    const odd = { ...call('m-1', 0), message: { id: 'm-1', usage: { input_tokens: 1.5, output_tokens: 1 } } };
    const session = recordingSession();
    const { query } = fakeQuery([[odd, toolResult, call('m-2', 90), toolResult, success]]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p', session });
    expect(session.turns.map(({ call }) => call)).toEqual(['m-2']);
    expect(run.lastResult).toBe(success);
  });
});

describe('queries', () => {
  const full = [call('m-1', 190_000), toolResult, call('m-2', 190_000)];

  test('the checkpoint is asked of the old session, and the continuation is a fresh one', async () => {
    const { query, calls } = fakeQuery([full, [answer('<checkpoint>state'), success], [success]]);
    const options: Options = {
      model: 'm',
      resume: 'earlier',
      continue: true,
      forkSession: true,
      sessionId: 'x',
    };
    await runWithRestarts({ agent: createClaudeAgent({ query, options }), prompt: 'the task' });
    const asked = calls.map(({ options: { abortController, ...rest } }) => {
      expect(abortController).toBeInstanceOf(AbortController);
      return rest;
    });
    expect(asked).toEqual([options, { model: 'm', resume: 'c-1' }, { model: 'm' }]);
    expect(calls[0]?.prompt).toBe('the task');
    expect(calls[1]?.prompt).toBe(loadPrompt('checkpoint-request'));
    expect(calls[2]?.prompt).toContain('\n\nstate\n\n');
    expect(calls[0]?.options.abortController?.signal.aborted).toBe(true);
    expect(calls[2]?.options.abortController?.signal.aborted).toBe(false);
  });

  test('an agent that goes on after its checkpoint is stopped there', async () => {
    const { query, closed, calls } = fakeQuery([
      full,
      [answer('<checkpoint>a'), answer('b</checkpoint>'), answer('and now I work on'), success],
      [success],
    ]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p' });
    expect(run.checkpoint).toBe('ab');
    expect(closed).toEqual([0, 1, 2]);
    expect(calls).toHaveLength(3);
  });

  test('the text of a sub-agent is no part of the checkpoint', async () => {
    const sub = { ...answer('<checkpoint>sub</checkpoint>'), parent_tool_use_id: 'toolu_1' };
    const { query } = fakeQuery([full, [sub, answer('main'), success], [success]]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p' });
    expect(run.checkpoint).toBe('main');
  });

  test.each([
    ['its reason', { ...success, terminal_reason: 'prompt_too_long' }, 'prompt_too_long'],
    ['its words', { ...success, is_error: true, result: 'Prompt is too long' }, 'prompt_too_long'],
    [
      'another error',
      { ...success, subtype: 'error_during_execution', is_error: true, errors: ['boom'] },
      'failed',
    ],
  ])('a checkpoint query that fails by %s means the minimal prompt', async (_, result, missing) => {
    const { query } = fakeQuery([full, [answer('Prompt is too long'), result], [success]]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p' });
    expect(run).toMatchObject({ outcome: 'finished', continuations: 1, missingCheckpoint: missing });
  });

  test('a checkpoint that was cut short is gone on from', async () => {
    const cut = { ...success, subtype: 'error_max_turns', is_error: true };
    const { query } = fakeQuery([full, [answer('<checkpoint>half'), cut], [success]]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p' });
    expect(run.checkpoint).toBe('half');
  });

  test('the owner’s own controller ends the query that runs', async () => {
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
});
