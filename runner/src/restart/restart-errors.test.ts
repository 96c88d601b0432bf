import { expect, test } from 'vitest';
import { ContextPressureError, runWithRestarts } from './index';
import { say, scriptedAgent, turnOf } from './testing/scripted-agent';

const done = [say('done'), turnOf(10, 10)];

test('the loop never throws a pressure error, not even one that the agent raises itself', async () => {
  const own = new ContextPressureError({
    sessionId: 'own-1',
    inputTokens: 9,
    outputTokens: 1,
    cacheReadTokens: 0,
    pressure: 0.95,
  });
  const asked: string[] = [];
  const run = await runWithRestarts({
    agent: {
      start: (_, context) => {
        if (context.continuation === 0) throw own;
        return scriptedAgent({ contexts: [done] }).start('', { ...context, continuation: 0 });
      },
      query: async (sessionId) => {
        asked.push(sessionId);
        throw own;
      },
    },
    prompt: 'p',
  });
  expect(run).toMatchObject({ outcome: 'finished', continuations: 1, missingCheckpoint: 'failed' });
  expect(asked).toEqual(['own-1']);
});

test('an error of the agent passes through unchanged', async () => {
  const broken = new Error('API Error: 500');
  const agent = {
    async *start() {
      yield turnOf(1, 1);
      throw broken;
    },
    query: async () => 'unused',
  };
  await expect(runWithRestarts({ agent, prompt: 'p' })).rejects.toBe(broken);
  await expect(
    runWithRestarts({ agent: { ...agent, start: () => Promise.reject(broken) }, prompt: 'p' }),
  ).rejects.toBe(broken);
});

test('errors of the session and the logger do not end the run', async () => {
  const fail = () => {
    throw new Error('no server');
  };
  const [start, turn, restart, alias, onCommand, command] = Array.from({ length: 6 }, () => fail);
  const session = { start, turn, restart, alias, onCommand, command } as never;
  const logger = { debug: fail, info: fail, warn: fail, error: fail };
  const agent = scriptedAgent({ contexts: [[turnOf(190_000, 10)], done] });
  expect(await runWithRestarts({ agent, prompt: 'p', session, logger })).toMatchObject({
    outcome: 'finished',
    continuations: 1,
  });
});

const mistake = new TypeError('owner');
const throwMistake = () => {
  throw mistake;
};

test('an error of the owner’s callback ends the agent and reaches the owner', async () => {
  const agent = scriptedAgent({ contexts: [[say('a'), say('b')]] });
  await expect(runWithRestarts({ agent, prompt: 'p', onMessage: throwMistake })).rejects.toBe(mistake);
  expect(agent.log).toEqual(['start 0', 'closed 0']);
});

test.each<[string, () => unknown]>([
  ['throws', throwMistake],
  ['rejects', async () => throwMistake()],
])('an onRestart that %s ends the run with its error before the next context', async (_, onRestart) => {
  const agent = scriptedAgent({ contexts: [[turnOf(190_000)], done] });
  await expect(runWithRestarts({ agent, prompt: 'p', onRestart })).rejects.toBe(mistake);
  expect(agent.starts).toHaveLength(1);
});
