import { describe, expect, test, vi } from 'vitest';
import { recordingLogger } from '../usage/testing/recording-logger';
import { ContextPressureError, ContextUsage, loadPrompt, runWithRestarts, streamWithRestarts } from './index';
import type { RestartNotice } from './restart-types';
import { type ScriptedMessage, say, scriptedAgent, turnOf } from './testing/scripted-agent';

const FULL = turnOf(180_000);
const done = [say('done'), turnOf(10, 10)];

describe('a restart', () => {
  test('an agent that never fills its context runs once, without a query', async () => {
    const agent = scriptedAgent({ contexts: [[say('hello'), turnOf(100, 50), turnOf(10, 5)]] });
    const run = await runWithRestarts({ agent, prompt: 'the task' });
    expect(agent.log).toEqual(['start 0', 'ended 0']);
    expect(agent.starts).toEqual(['the task']);
    expect(agent.signals[0]?.aborted).toBe(false);
    expect(run).toMatchObject({ outcome: 'finished', continuations: 0, checkpoint: null });
    expect(run.contexts).toEqual([
      {
        continuation: 0,
        sessionId: 's-0',
        prompt: 'the task',
        inputTokens: 110,
        outputTokens: 55,
        cacheReadTokens: 0,
        pressure: 165 / 200_000,
        state: 'nominal',
        endedBy: 'agent',
      },
    ]);
  });

  test('the stream ends first, then a query asks the old session, then a fresh session starts', async () => {
    const agent = scriptedAgent({ contexts: [[FULL, say('never heard')], done] });
    await runWithRestarts({ agent, prompt: 'the task' });
    expect(agent.log).toEqual(['start 0', 'closed 0', 'query s-0', 'start 1', 'ended 1']);
    expect(agent.signals[0]?.aborted).toBe(true);
    expect(agent.signals[0]?.reason).toBeInstanceOf(ContextPressureError);
    expect(agent.queries).toEqual([loadPrompt('checkpoint-request')]);
  });

  test('the fresh session starts with the checkpoint, not with the task', async () => {
    const answers = ['Sure.\n<checkpoint>## Goal\nx</checkpoint>'];
    const agent = scriptedAgent({ contexts: [[FULL], done], answers });
    const run = await runWithRestarts({ agent, prompt: 'the task' });
    expect(agent.starts[1]).toBe(
      'CONTINUING FROM PREVIOUS SESSION\n\nThe previous session hit the context limit. Here is the state:\n\n' +
        '## Goal\nx\n\nContinue from the remaining tasks. Do not repeat completed work.',
    );
    expect(run.checkpoint).toBe('## Goal\nx');
  });

  test('an answer without a tag becomes the checkpoint as a whole', async () => {
    const agent = scriptedAgent({ contexts: [[FULL], done], answers: ['I fixed the parser.'] });
    await runWithRestarts({ agent, prompt: 'the task' });
    expect(agent.starts[1]).toContain('\n\nI fixed the parser.\n\n');
  });

  test('several restarts follow each other: continuations 1, 2, 3, each from the checkpoint before it', async () => {
    const agent = scriptedAgent({ contexts: [[FULL], [FULL], [FULL], done] });
    const logger = recordingLogger();
    const notices: string[] = [];
    const onRestart = (notice: RestartNotice) => notices.push(`${notice.continuation} ${notice.checkpoint}`);
    const run = await runWithRestarts({ agent, prompt: 'the task', name: 'ticket-7', logger, onRestart });
    expect(run.continuations).toBe(3);
    expect(
      run.contexts.map(({ continuation, sessionId, endedBy }) => `${continuation} ${sessionId} ${endedBy}`),
    ).toEqual(['0 s-0 pressure', '1 s-1 pressure', '2 s-2 pressure', '3 s-3 agent']);
    expect(notices).toEqual(['1 state 1', '2 state 2', '3 state 3']);
    const queries = agent.log.filter((line) => line.startsWith('query'));
    expect(queries).toEqual(['query s-0', 'query s-1', 'query s-2']);
    expect(logger.lines.filter((line) => line.startsWith('info'))).toEqual(
      [1, 2, 3].map((restart) => `info: ticket-7: context restart #${restart} at 90.0%`),
    );
  });

  test.each([
    ['89 %', 178_000, 0],
    ['90 %', 180_000, 1],
    ['91 %', 182_000, 1],
  ])('the default restart line applies at %s of 200 000 tokens', async (_, tokens, restarts) => {
    const agent = scriptedAgent({ contexts: [[turnOf(tokens)], done] });
    expect((await runWithRestarts({ agent, prompt: 'p' })).continuations).toBe(restarts);
  });

  test('a restart line of 1.1 never restarts', async () => {
    const agent = scriptedAgent({ contexts: [[turnOf(900_000), turnOf(900_000)]] });
    const run = await runWithRestarts({ agent, prompt: 'p', restartLine: 1.1 });
    expect(run).toMatchObject({ continuations: 0, contexts: [{ pressure: 9, state: 'redlined' }] });
  });

  test('the owner’s limit and restart line override the defaults', async () => {
    const agent = scriptedAgent({ contexts: [[turnOf(200, 200), turnOf(100, 100)], done] });
    const run = await runWithRestarts({ agent, prompt: 'p', limit: 1000, restartLine: 0.5 });
    expect(run.contexts[0]).toMatchObject({ inputTokens: 300, outputTokens: 300, pressure: 0.6 });
    expect(run.continuations).toBe(1);
  });

  test('there is no limit to the number of restarts unless the owner sets one', async () => {
    const contexts = [...Array.from({ length: 60 }, () => [turnOf(20_000), turnOf(160_000)]), done];
    const run = await runWithRestarts({ agent: scriptedAgent({ contexts }), prompt: 'p' });
    expect(run).toMatchObject({ continuations: 60, outcome: 'finished' });
  });

  test('after the last allowed continuation the run returns its last checkpoint', async () => {
    const agent = scriptedAgent({ contexts: [[FULL], [FULL], done] });
    const run = await runWithRestarts({ agent, prompt: 'p', maxContinuations: 1 });
    expect(run).toMatchObject({ outcome: 'max_continuations', continuations: 1, checkpoint: 'state 2' });
    expect(agent.starts).toHaveLength(2);
    await expect(runWithRestarts({ agent, prompt: 'p', maxContinuations: -1 })).rejects.toThrow(RangeError);
  });
});

describe('a full context', () => {
  const unstated = (fields: object = {}) => ({ ...FULL, goesOn: undefined, ...fields });
  const count = async (...messages: ScriptedMessage[]) => {
    const agent = scriptedAgent({ contexts: [messages, done] });
    return (await runWithRestarts({ agent, prompt: 'p' })).continuations;
  };

  test('does not restart an agent whose stream ends', async () => {
    expect(await count(unstated())).toBe(0);
    expect(await count(say('a'), unstated())).toBe(0);
  });

  test('restarts an agent that sends a further message', async () => {
    expect(await count(unstated(), say('goes on'), say('never heard'))).toBe(1);
  });

  test('restarts an agent whose stream stays open in silence, as with streaming input', async () => {
    vi.useFakeTimers();
    try {
      const scripted = scriptedAgent({ contexts: [] });
      const agent = {
        ...scripted,
        start: (_: string, { continuation, signal }: { continuation: number; signal: AbortSignal }) =>
          (async function* () {
            if (continuation > 0) return;
            yield unstated();
            await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
          })(),
      };
      const run = runWithRestarts({ agent, prompt: 'p' });
      await vi.advanceTimersByTimeAsync(4_900);
      expect(scripted.queries).toHaveLength(0);
      await vi.advanceTimersByTimeAsync(20_000);
      expect(await run).toMatchObject({ outcome: 'finished', continuations: 1 });
    } finally {
      vi.useRealTimers();
    }
  });

  test('restarts at once if the message states that the agent goes on', async () => {
    expect(await count(unstated({ goesOn: true }))).toBe(1);
    expect(await count(unstated({ type: 'message', stop_reason: 'tool_use' }))).toBe(1);
    expect(await count(unstated({ type: 'answer', choices: [{ finish_reason: 'tool_calls' }] }))).toBe(1);
  });

  test('does not restart an agent that states its end', async () => {
    expect(await count(unstated({ goesOn: false }), say('bye'))).toBe(0);
  });

  test('reports calls of sub-agents in chains of their own, which have no restart line', async () => {
    const turns: object[] = [];
    const session = { turn: (turn: object) => turns.push(turn), restart: () => 0 };
    const scripted = scriptedAgent({ contexts: [[turnOf(10)]] });
    const run = await runWithRestarts({
      agent: {
        ...scripted,
        start(prompt, context) {
          const usage = { prompt_tokens: 190_000, completion_tokens: 1 };
          for (const chain of ['search-1', 'search-2']) context.report({ usage, chain, model: 'm' });
          return scripted.start(prompt, context);
        },
      },
      prompt: 'p',
      session,
    });
    expect(run).toMatchObject({ continuations: 0, contexts: [{ inputTokens: 10 }] });
    expect(turns).toMatchObject([
      { chain: 'search-1', contextTokens: 190_001, model: 'm' },
      { chain: 'search-2' },
      { usage: { inputTokens: 10 } },
    ]);
  });
});

describe('usage', () => {
  test('sums start at 0 before the stream of the new context starts', async () => {
    const usage = new ContextUsage();
    const seen: number[] = [];
    const scripted = scriptedAgent({ contexts: [[turnOf(150_000, 40_000, 7)], [turnOf(100, 5, 3)]] });
    const start: typeof scripted.start = (...request) => {
      seen.push(usage.usedTokens);
      return scripted.start(...request);
    };
    const run = await runWithRestarts({ agent: { ...scripted, start }, prompt: 'p', usage });
    expect(seen).toEqual([0, 0]);
    expect([usage.inputTokens, usage.outputTokens, usage.cacheReadTokens]).toEqual([100, 5, 3]);
    expect(run.contexts.map(({ pressure }) => pressure)).toEqual([0.95, 105 / 200_000]);
  });

  test('the reset is logged with the number of the continuation', async () => {
    const logger = recordingLogger();
    const agent = scriptedAgent({ contexts: [[FULL], [FULL], done] });
    await runWithRestarts({ agent, prompt: 'p', logger });
    expect(logger.lines.filter((line) => line.includes('resetting'))).toEqual(
      [1, 2].map((n) => `debug: resetting context usage for restart (continuation #${n})`),
    );
  });

  test('missing usage logs a warning and disables tracking, and the run continues', async () => {
    const logger = recordingLogger();
    const agent = scriptedAgent({ contexts: [[{ type: 'result', usage: null }, FULL, FULL, say('done')]] });
    const run = await runWithRestarts({ agent, prompt: 'p', limit: 200_000, logger });
    expect(run).toMatchObject({ outcome: 'finished', continuations: 0 });
    expect(run.contexts[0]).toMatchObject({ state: 'untracked', pressure: 0 });
    expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual([
      'warn: A result message has no usage: context tracking disabled',
    ]);
  });
});

describe('messages', () => {
  const contexts = [
    [say('a'), FULL, say('lost')],
    [say('b'), turnOf(1, 1), say('c')],
  ];
  const texts = (messages: readonly ScriptedMessage[]) => messages.map(({ text, type }) => text ?? type);

  test('the messages of all contexts are yielded in order, including the one that reached the restart line', async () => {
    const messages: ScriptedMessage[] = [];
    for await (const message of streamWithRestarts({ agent: scriptedAgent({ contexts }), prompt: 'p' })) {
      messages.push(message);
    }
    expect(texts(messages)).toEqual(['a', 'result', 'b', 'result', 'c']);
  });

  test('onMessage gets each message with its context before the next message is requested', async () => {
    const places: string[] = [];
    const run = await runWithRestarts({
      agent: scriptedAgent({ contexts }),
      prompt: 'p',
      onMessage: async (message, { continuation, sessionId }) => {
        await Promise.resolve();
        places.push(`${message.text ?? message.type} ${continuation} ${sessionId}`);
      },
    });
    expect(places).toEqual(['a 0 s-0', 'result 0 s-0', 'b 1 s-1', 'result 1 s-1', 'c 1 s-1']);
    expect(run.lastMessage?.text).toBe('c');
    expect(run.lastResult?.usage).toEqual(turnOf(1, 1).usage);
  });

  test('ends the agent’s stream when the consumer stops', async () => {
    const agent = scriptedAgent({ contexts });
    for await (const _ of streamWithRestarts({ agent, prompt: 'p' })) break;
    expect(agent.log).toEqual(['start 0', 'closed 0']);
    expect(agent.signals[0]?.aborted).toBe(true);
  });
});
