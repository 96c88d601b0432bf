import { expect, test } from 'vitest';
import { recordingLogger } from '../usage/testing/recording-logger';
import { runWithRestarts } from './index';
import type { Agent } from './restart-types';
import { type ScriptedMessage, say, scriptedAgent, turnOf } from './testing/scripted-agent';

const FULL = turnOf(190_000);
const never = () => new Promise<never>(() => undefined);

test('the owner’s signal ends the stream, reaches the agent, and rejects the run with its reason', async () => {
  const agent = scriptedAgent({ contexts: [[say('a'), say('b'), say('c')]] });
  const controller = new AbortController();
  const reason = new Error('stopped by hand');
  const heard: string[] = [];
  const run = runWithRestarts({
    agent,
    prompt: 'p',
    signal: controller.signal,
    onMessage: ({ text }) => {
      heard.push(text ?? '');
      if (text === 'b') controller.abort(reason);
    },
  });
  await expect(run).rejects.toBe(reason);
  expect(heard).toEqual(['a', 'b']);
  expect(agent.log).toEqual(['start 0', 'closed 0']);
  expect(agent.signals[0]?.reason).toBe(reason);
});

test('the run ends even if the agent ignores the signal and keeps its stream open', async () => {
  const logger = recordingLogger();
  const controller = new AbortController();
  const agent: Agent<ScriptedMessage> = {
    start: () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => {
          queueMicrotask(() => controller.abort());
          return never();
        },
        return: never,
      }),
    }),
    query: never,
  };
  const run = runWithRestarts({ agent, prompt: 'p', signal: controller.signal, stopTimeoutMs: 5, logger });
  await expect(run).rejects.toMatchObject({ name: 'AbortError' });
  expect(logger.lines).toEqual([
    "debug: agent: the agent's stream did not close cleanly",
    expect.stringContaining('ended without an answer'),
  ]);
});

test('the owner’s signal ends the run even if the next message is ready', async () => {
  const controller = new AbortController();
  let heard = 0;
  const next = async () => ({ done: heard > 3, value: say('ready') });
  const run = runWithRestarts({
    agent: { start: () => ({ [Symbol.asyncIterator]: () => ({ next }) }), query: never },
    prompt: 'p',
    signal: controller.signal,
    onMessage: () => {
      heard += 1;
      controller.abort();
    },
  });
  await expect(run).rejects.toMatchObject({ name: 'AbortError' });
  expect(heard).toBe(1);
});

test('the owner’s signal ends a run that waits for its checkpoint', async () => {
  const controller = new AbortController();
  let heard: unknown;
  const restarts: number[] = [];
  const agent = scriptedAgent({
    contexts: [[FULL], [say('never')]],
    answers: [
      (signal) => {
        signal.addEventListener('abort', () => {
          heard = signal.reason;
        });
        controller.abort(new Error('stopped by hand'));
        return never();
      },
    ],
  });
  await expect(
    runWithRestarts({
      agent,
      prompt: 'p',
      signal: controller.signal,
      onRestart: ({ continuation }) => restarts.push(continuation),
    }),
  ).rejects.toThrow('stopped by hand');
  expect(heard).toBe(controller.signal.reason);
  expect(agent.starts).toHaveLength(1);
  expect(restarts).toEqual([]);
});

test('a stream that does not close in time is aborted, and the restart continues', async () => {
  const logger = recordingLogger();
  const scripted = scriptedAgent({ contexts: [[], [say('fresh')]] });
  let signalOfFirst: AbortSignal | undefined;
  const agent: Agent<ScriptedMessage> = {
    start(prompt, context) {
      if (context.continuation > 0) return scripted.start(prompt, context);
      signalOfFirst = context.signal;
      return {
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: false, value: { ...FULL, session_id: 's-0' } }),
          return: never,
        }),
      };
    },
    query: (...request) => scripted.query(...request),
  };
  const run = await runWithRestarts({ agent, prompt: 'p', stopTimeoutMs: 5, logger });
  expect(run).toMatchObject({ outcome: 'finished', continuations: 1 });
  expect(signalOfFirst?.aborted).toBe(true);
  expect(logger.lines).toContain("debug: agent: the agent's stream did not close cleanly");
});
