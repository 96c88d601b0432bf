import { describe, expect, test } from 'vitest';
import type { RunnerCommand } from '../client/client-types';
import {
  type Agent,
  createAnthropicAgent,
  createClaudeAgent,
  type ModelMessage,
  runWithRestarts,
} from './index';
import { call, fakeQuery, success, toolResult } from './testing/claude-stream';

interface Body {
  messages: { role: string; content: unknown }[];
}
type Sent = Partial<RunnerCommand> & Pick<RunnerCommand, 'action'>;

/**
 * Runs an agent that calls a tool `turns` times. The commands arrive during the tool of their turn.
 * @param change makes another agent of the Anthropic agent
 */
async function runWith(
  byTurn: Record<number, Sent[]>,
  { turns = 4, change = (agent: Agent<ModelMessage>) => agent } = {},
) {
  const bodies: Body[] = [];
  const reports: Record<string, unknown>[] = [];
  const restarts: Record<string, unknown>[] = [];
  let handle: ((command: RunnerCommand) => void) | null = null;
  let tools = 0;
  const create = async (body: Body) => {
    bodies.push(structuredClone(body));
    const isCheckpoint = JSON.stringify(body.messages.at(-1)).includes('CHECKPOINT REQUIRED');
    const isDone = tools >= turns;
    const text = isCheckpoint ? '<checkpoint>half of the wall</checkpoint>' : 'painting';
    const tool = { type: 'tool_use', id: `t${bodies.length}`, name: 'paint', input: {} };
    return {
      id: `msg_${bodies.length}`,
      content: [{ type: 'text', text }, ...(isCheckpoint || isDone ? [] : [tool])],
      stop_reason: isCheckpoint || isDone ? 'end_turn' : 'tool_use',
      usage: { input_tokens: 1_000, output_tokens: 10 },
    };
  };
  const agent = createAnthropicAgent({
    client: { messages: { create: create as never } },
    request: { model: 'm' },
    runTool: async () => {
      tools += 1;
      for (const [i, command] of (byTurn[tools] ?? []).entries())
        handle?.({ id: `${tools}.${i}`, expiresAt: Date.now() + 60_000, ...command });
      return 'painted';
    },
  });
  const result = await runWithRestarts({
    agent: change(agent),
    prompt: 'paint the wall',
    limit: 200_000,
    session: {
      turn: () => 0,
      restart: (fields) => restarts.push({ ...fields }),
      command: (fields) => reports.push({ ...fields }),
      onCommand: (take) => {
        handle = take;
        return () => {
          handle = null;
        };
      },
    },
  });
  return { result, bodies, reports, restarts };
}

describe('commands of operators', () => {
  test('restart the agent from a checkpoint after the current message', async () => {
    const { result, reports, restarts, bodies } = await runWith({ 2: [{ action: 'restart' }] });
    expect(result).toMatchObject({
      outcome: 'finished',
      continuations: 1,
      contexts: [{ endedBy: 'command' }, { endedBy: 'agent' }],
    });
    expect(restarts).toMatchObject([{ reason: 'command of an operator', checkpoint: 'half of the wall' }]);
    expect(reports).toEqual([{ command: '2.0', action: 'restart', state: 'done' }]);
    expect(JSON.stringify(bodies.at(-1))).toContain('half of the wall');
  });

  test('take a checkpoint without a restart, which leaves no trace in the conversation', async () => {
    const { result, reports, bodies } = await runWith({ 2: [{ action: 'checkpoint' }] });
    expect(result).toMatchObject({ continuations: 0, checkpoint: 'half of the wall' });
    expect(reports).toEqual([{ command: '2.0', action: 'checkpoint', state: 'done' }]);
    expect(JSON.stringify(bodies.at(-1))).not.toContain('CHECKPOINT');
  });

  test('say something to the agent after the results of its tools', async () => {
    const { bodies, reports } = await runWith({ 1: [{ action: 'say', text: 'use blue paint' }] });
    const [, assistant, results, said, ...rest] = bodies[1]?.messages ?? [];
    expect([assistant?.role, results?.content, said, rest]).toEqual([
      'assistant',
      [expect.objectContaining({ type: 'tool_result' })],
      { role: 'user', content: 'use blue paint' },
      [],
    ]);
    expect(JSON.stringify(bodies.at(-1)).split('use blue paint')).toHaveLength(2);
    expect(reports).toMatchObject([{ state: 'done' }]);
  });

  test('stop the run with a checkpoint', async () => {
    const { result, restarts, reports } = await runWith({ 1: [{ action: 'stop' }, { action: 'restart' }] });
    expect(result).toMatchObject({ outcome: 'stopped', continuations: 0, checkpoint: 'half of the wall' });
    expect(restarts).toEqual([]);
    expect(reports).toEqual([
      { command: '1.0', action: 'stop', state: 'done' },
      { command: '1.1', action: 'restart', state: 'refused', reason: 'the run ended first' },
    ]);
  });

  test('are refused if the agent cannot carry them out, and the run goes on', async () => {
    const change = ({ say: _say, answersWhileRunning: _answers, ...agent }: Agent<ModelMessage>) => agent;
    const { result, reports } = await runWith(
      { 1: [{ action: 'say', text: 'hello' }, { action: 'checkpoint' }, { action: 'compact' }] },
      { change },
    );
    expect(result).toMatchObject({ outcome: 'finished', continuations: 0 });
    expect(reports.map(({ state, reason }) => [state, reason])).toEqual([
      ['refused', 'this agent cannot carry out say'],
      ['refused', 'this agent cannot carry out checkpoint'],
      ['refused', 'this agent cannot carry out compact'],
    ]);
  });

  test('that have expired do nothing', async () => {
    const { result, reports } = await runWith({ 1: [{ action: 'restart', expiresAt: Date.now() - 1 }] });
    expect(result).toMatchObject({ continuations: 0 });
    expect(reports).toEqual([]);
  });

  test('restart as often as the operator wants', async () => {
    const restart = [{ action: 'restart' as const }];
    const { result } = await runWith(
      { 1: restart, 2: restart, 3: restart, 4: restart, 5: restart },
      { turns: 7 },
    );
    expect(result).toMatchObject({ outcome: 'finished', continuations: 5 });
  });
});

describe('the command compact', () => {
  const boundary = {
    type: 'system',
    subtype: 'compact_boundary',
    session_id: 'c-1',
    compact_metadata: { trigger: 'manual', pre_tokens: 90_010 },
  };
  const init = { type: 'system', subtype: 'init', session_id: 'c-1' };

  /** Runs a Claude agent that gets the command with its second message. */
  async function compactWith(answer: Record<string, unknown>[]) {
    const { query, calls, closed } = fakeQuery([
      [init, call('m-1', 90_000), toolResult, call('m-never', 95_000)],
      answer,
      [init, call('m-2', 20_000), success],
    ]);
    const turns: unknown[] = [];
    const reports: unknown[] = [];
    let handle: ((command: RunnerCommand) => void) | null = null;
    const seen: unknown[] = [];
    const run = await runWithRestarts({
      agent: createClaudeAgent({ query }),
      prompt: 'paint the wall',
      session: {
        turn: ({ call }) => turns.push(call),
        restart: () => 0,
        command: ({ state, reason }) => reports.push([state, reason]),
        onCommand: (take) => {
          handle = take;
          return () => undefined;
        },
      },
      onMessage: (message) => {
        seen.push(message);
        if (seen.length === 2) handle?.({ id: '1', action: 'compact', expiresAt: Date.now() + 60_000 });
      },
    });
    return { run, calls, closed, turns, reports, seen };
  }

  test('lets Claude Code compact its session after the current message, and goes on in it', async () => {
    const { run, calls, closed, turns, reports, seen } = await compactWith([init, boundary, success]);
    expect(calls.map(({ prompt, options: { resume } }) => [prompt, resume])).toEqual([
      ['paint the wall', undefined],
      ['/compact', 'c-1'],
      ['Go on with the task.', 'c-1'],
    ]);
    expect(calls[0]?.options.abortController?.signal.aborted).toBe(true);
    expect(closed).toEqual([0, 1, 2]);
    expect(reports).toEqual([['done', undefined]]);
    expect(turns).toEqual(['m-1', 'm-2']);
    expect(run).toMatchObject({ outcome: 'finished', continuations: 0, contexts: [{ sessionId: 'c-1' }] });
    expect(
      seen.filter((message) => message === success),
      'the end of the task only',
    ).toHaveLength(1);
  });

  test('is refused if the client did not compact, and the agent goes on', async () => {
    const failed = { ...success, result: 'Not enough messages to compact.' };
    const { run, reports, calls } = await compactWith([init, failed]);
    expect(reports).toEqual([['refused', 'the client did not compact']]);
    expect(calls).toHaveLength(3);
    expect(run.outcome).toBe('finished');
  });
});
