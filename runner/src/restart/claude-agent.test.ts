import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ReportedTurn } from '../usage/usage-session';
import { createClaudeAgent, type RestartSession, runWithRestarts } from './index';
import {
  answer,
  call,
  fakeQuery,
  type Message,
  type Options,
  success,
  toolResult,
} from './testing/claude-stream';

/** Four turns of one query of the Agent SDK 0.3.330, with two tools, a sub-agent and a manual compaction. */
const fixture = new URL('../../fixtures/claude-agent-sdk/query-stream.jsonl', import.meta.url);
const stream: Message[] = readFileSync(fixture, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

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
    start: ({ lens }) => lens && events.push(`start ${lens}`),
  };
}

describe('a real stream', () => {
  test('counts each call of the main loop as a turn, with its size as the pressure', async () => {
    const session = recordingSession();
    const { query } = fakeQuery([stream]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p', session });
    expect(session.turns.map(({ call, contextTokens, basis }) => [call, contextTokens, basis])).toEqual([
      [['msg_fake_0003', 'req_fake_0004'], 60_011, 'input'],
      [['msg_fake_0005', 'req_fake_0006'], 60_706, 'input'],
      [['msg_fake_0008', 'req_fake_0009'], 61_505, 'input'],
      [['msg_fake_0012', 'req_fake_0013'], 62_404, 'input'],
      [['msg_fake_0016', 'req_fake_0017'], 22_508, 'input'],
    ]);
    // The results state outputs of 340, 140, 0 and 33 tokens for their calls; the stream has 1 for each call.
    expect(session.turns.map(({ usage }) => usage?.outputTokens)).toEqual([1, 339, 1, 139, 33]);
    expect(session.turns.at(-1)).toMatchObject({
      usage: { inputTokens: 8, outputTokens: 33, cacheReadTokens: 20_000, cacheCreationTokens: 2500 },
      model: 'claude-sonnet-4-5-20250929',
      limit: 200_000,
    });
    expect(session.events).toEqual([
      'alias claude-code 76469b65-126d-4f78-9fc8-a60abf7ac363',
      'start snapshot',
      'compaction manual 62454 2687',
    ]);
    expect(run.contexts).toMatchObject([{ pressure: 22_508 / 200_000, endedBy: 'agent' }]);
    expect(run.lastResult).toMatchObject({ type: 'result', result: 'After compaction.' });
  });

  test('counts each turn by its result, without sub-agents, and restarts at the compaction', async () => {
    const session = recordingSession();
    const { query } = fakeQuery([stream]);
    const agent = createClaudeAgent({ query, lens: 'cumulative' });
    const run = await runWithRestarts({ agent, prompt: 'p', session });
    expect(
      session.turns.map(({ usage }) => [usage?.inputTokens, usage?.outputTokens, usage?.cacheReadTokens]),
    ).toEqual([
      [17, 340, 60_000],
      [9, 140, 122_200],
      [8, 33, 20_000],
    ]);
    expect(session.events).toContain('start cumulative');
    expect(run.contexts).toMatchObject([
      { inputTokens: 8, outputTokens: 33, cacheReadTokens: 20_000, pressure: 41 / 200_000 },
    ]);
  });

  test('restarts at a lower restart line, after the tools of the call that reached it', async () => {
    const { query, calls, closed } = fakeQuery([
      stream,
      [answer('<checkpoint>state</checkpoint>')],
      [success],
    ]);
    const heard: unknown[] = [];
    const run = await runWithRestarts({
      agent: createClaudeAgent<Options, Message>({ query }),
      prompt: 'p',
      restartLine: 0.3,
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
  test('does not restart a full context when the agent is done', async () => {
    const { query, calls } = fakeQuery([[call('m-1', 190_000), success]]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p' });
    expect(calls).toHaveLength(1);
    expect(run.contexts[0]).toMatchObject({ pressure: 190_010 / 200_000, endedBy: 'agent' });
  });

  test('excludes calls of sub-agents and messages that the client wrote itself', async () => {
    const session = recordingSession();
    const subAgent = call('m-2', 199_000, { parent_tool_use_id: 'toolu_1' });
    const synthetic = {
      ...call('m-3', 0),
      message: { id: 'm-3', model: '<synthetic>', usage: { input_tokens: 5, output_tokens: 5 } },
    };
    const empty = { ...call('m-4', 0), message: { id: 'm-4', usage: { input_tokens: 0, output_tokens: 0 } } };
    const { query } = fakeQuery([[subAgent, toolResult, synthetic, empty, toolResult, success]]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p', session });
    expect(session.turns).toMatchObject([{ call: 'm-2', chain: 'toolu_1', contextTokens: 199_010 }]);
    expect(run).toMatchObject({ continuations: 0, contexts: [{ inputTokens: 0, pressure: 0 }] });
  });

  test('counts a call before a compaction in the old context, without a restart', async () => {
    const session = recordingSession();
    const boundary = {
      type: 'system',
      subtype: 'compact_boundary',
      session_id: 'c-1',
      compact_metadata: { trigger: 'auto', pre_tokens: 190_010 },
    };
    const { query, calls } = fakeQuery([[call('m-1', 190_000), boundary, call('m-2', 20_000), success]]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p', session });
    expect(calls).toHaveLength(1);
    expect(session.turns.map(({ call }) => call)).toEqual(['m-1', 'm-2']);
    expect(run.contexts).toMatchObject([{ cacheReadTokens: 20_000, pressure: 20_010 / 200_000 }]);
  });

  test('uses the window of a result as the limit from then on', async () => {
    const stated = {
      ...success,
      modelUsage: {
        'claude-haiku-4-5': { outputTokens: 5, contextWindow: 200_000 },
        'claude-sonnet-5': { outputTokens: 500, contextWindow: 1_000_000 },
      },
    };
    const { query } = fakeQuery([[stated, call('m-1', 500_000 - 10), toolResult]]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p' });
    expect(run.contexts[0]?.pressure).toBe(0.5);
  });

  test('skips a call with an invalid count, and continues the run', async () => {
    const odd = { ...call('m-1', 0), message: { id: 'm-1', usage: { input_tokens: 1.5, output_tokens: 1 } } };
    const session = recordingSession();
    const { query } = fakeQuery([[odd, toolResult, call('m-2', 90), toolResult, success]]);
    const run = await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p', session });
    expect(session.turns.map(({ call }) => call)).toEqual(['m-2']);
    expect(run.lastResult).toBe(success);
  });
});

describe('the output of a call', () => {
  /** The partial messages of a call: its messages state an output of 1. */
  const partial = (id: string, output: number, chain: string | null = null): Message[] =>
    [
      { type: 'message_start', message: { id, usage: { output_tokens: 1 } } },
      { type: 'message_delta', usage: { output_tokens: output } },
    ].map((event) => ({ type: 'stream_event', session_id: 'c-1', parent_tool_use_id: chain, event }));
  const sub = { parent_tool_use_id: 'toolu_1' };
  const streamed = [
    ...partial('m-2', 77, 'toolu_1').slice(0, 1),
    ...partial('m-1', 340).slice(0, 1),
    call('m-2', 500, sub),
    call('m-1', 190_000),
    ...partial('m-2', 77, 'toolu_1').slice(1),
    ...partial('m-1', 340).slice(1),
    toolResult,
  ];
  const asked = [answer('<checkpoint>state</checkpoint>')].map((message) => ({
    ...message,
    message: { ...message.message, usage: { input_tokens: 5, output_tokens: 1 } },
  }));

  test('is that of the partial messages, also before a restart, in a sub-agent and in the checkpoint query', async () => {
    const session = recordingSession();
    const query = fakeQuery([streamed, [...asked, ...partial('m', 900), success], [success]]);
    const heard: unknown[] = [];
    const run = await runWithRestarts({
      agent: createClaudeAgent<Options, Message>(query),
      prompt: 'p',
      session,
      onMessage: ({ type }) => void heard.push(type),
    });
    expect(run).toMatchObject({ continuations: 1, checkpoint: 'state' });
    const last = new Map(session.turns.map((turn) => [turn.call, turn]));
    expect([...last.values()].map(({ call, chain, usage }) => [call, chain, usage?.outputTokens])).toEqual([
      ['m-2', 'toolu_1', 77],
      ['m-1', undefined, 340],
      ['m', undefined, 900],
    ]);
    expect(heard).toEqual(['assistant', 'assistant', 'user', 'result']);
  });

  test('yields the partial messages if the owner asks for them', async () => {
    const query = fakeQuery([[...partial('m-1', 340), success]]);
    const options = { includePartialMessages: true };
    const heard: unknown[] = [];
    await runWithRestarts({
      agent: createClaudeAgent<Options, Message>({ ...query, options }),
      prompt: 'p',
      onMessage: ({ type }) => void heard.push(type),
    });
    expect(heard).toEqual(['stream_event', 'stream_event', 'result']);
  });
});
