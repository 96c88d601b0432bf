import { expect, test } from 'vitest';
import { EndlessRestartError, PromptTooLongError, runWithRestarts } from './index';
import type { Agent } from './restart-types';
import { type ScriptedMessage, say, scriptedAgent, turnOf } from './testing/scripted-agent';

const FULL = [turnOf(190_000), say('goes on')];
const WORKED = [turnOf(10_000), turnOf(180_000), say('goes on')];

test('stops with an error after three fresh contexts that begin above the line', async () => {
  const agent = scriptedAgent({ contexts: Array.from({ length: 200 }, () => FULL) });
  const error: unknown = await runWithRestarts({ agent, prompt: 'p', name: 'ticket-7' }).catch((e) => e);
  expect(error).toBeInstanceOf(EndlessRestartError);
  expect(error).toMatchObject({
    code: 'endless_restart',
    continuations: 3,
    pressure: 0.95,
    checkpoint: 'state 4',
    message:
      'ticket-7: stopped after 3 fresh contexts in a row that were full before their second turn (95.0% of 200000 ' +
      'tokens). Checkpoint and fixed prompt leave no room: shorten them, or correct "limit" or "restartLine".',
  });
  expect(agent.starts).toHaveLength(4);
});

test('stops if each context begins above the line and no message says whether the agent goes on', async () => {
  const full = { ...turnOf(190_000), goesOn: undefined };
  const agent = scriptedAgent({ contexts: Array.from({ length: 200 }, () => [full, full, full]) });
  await expect(runWithRestarts({ agent, prompt: 'p' })).rejects.toBeInstanceOf(EndlessRestartError);
  expect(agent.starts).toHaveLength(4);
});

test('stops if the provider refuses the first prompt of each context', async () => {
  let starts = 0;
  const agent: Agent<ScriptedMessage> = {
    start: async () => {
      starts += 1;
      throw new PromptTooLongError();
    },
    query: async () => 'unused',
  };
  const error: unknown = await runWithRestarts({ agent, prompt: 'p' }).catch((e) => e);
  expect(error).toBeInstanceOf(EndlessRestartError);
  expect(String(error)).toContain('before their second turn. Checkpoint');
  expect(starts).toBe(4);
});

const TWO_TURNS = [turnOf(10_000), turnOf(180_000), say('goes on')];

test.each([
  ['leave no checkpoint', () => '', null],
  ['leave the same checkpoint', () => '<checkpoint>\nthe same\n</checkpoint>', 'the same'],
])('stops after contexts with several turns that %s', async (_, answer, checkpoint) => {
  const contexts = Array.from({ length: 300 }, () => TWO_TURNS);
  const agent = scriptedAgent({ contexts, answers: contexts.map(() => answer) });
  const error: unknown = await runWithRestarts({ agent, prompt: 'p', name: 'ticket-7' }).catch((e) => e);
  expect(error).toBeInstanceOf(EndlessRestartError);
  expect(error).toMatchObject({ checkpoint, message: expect.stringContaining('left no new checkpoint') });
  expect(agent.starts.length).toBeLessThan(8);
});

test('a new checkpoint starts the count of contexts without one again', async () => {
  const contexts = [...Array.from({ length: 20 }, () => TWO_TURNS), [say('done')]];
  const answers = contexts.map((_, at) => (at % 4 === 3 ? `<checkpoint>\n${at}\n</checkpoint>` : ''));
  const run = await runWithRestarts({ agent: scriptedAgent({ contexts, answers }), prompt: 'p' });
  expect(run).toMatchObject({ outcome: 'finished', continuations: 20 });
});

test('a context with a second turn starts the count again, so work may have any number of contexts', async () => {
  const rounds = Array.from({ length: 20 }, () => [FULL, FULL, WORKED]).flat();
  const agent = scriptedAgent({ contexts: [...rounds, [say('done')]] });
  const run = await runWithRestarts({ agent, prompt: 'p' });
  expect(run).toMatchObject({ outcome: 'finished', continuations: 60 });
});
