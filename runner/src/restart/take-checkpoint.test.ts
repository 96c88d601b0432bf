import { expect, test } from 'vitest';
import { recordingLogger } from '../usage/testing/recording-logger';
import { buildMinimalPrompt, PromptTooLongError, runWithRestarts } from './index';
import { type ScriptedAgentOptions, say, scriptedAgent, turnOf } from './testing/scripted-agent';

const FULL = turnOf(190_000);

type Answer = NonNullable<ScriptedAgentOptions['answers']>[number];

async function runWith(answer: Answer) {
  const logger = recordingLogger();
  const agent = scriptedAgent({ contexts: [[FULL], [say('done')]], answers: [answer] });
  const run = await runWithRestarts({ agent, prompt: 'the task', logger, checkpointTimeoutMs: 20 });
  const lines = logger.lines.filter((line) => line.includes('no checkpoint'));
  return { run, agent, lines };
}
const failing = (error: unknown): Answer => {
  return () => Promise.reject(error);
};
const throwsAtOnce: Answer = () => {
  throw new Error('bug');
};
const coded = Object.assign(new Error('400'), { code: 'context_length_exceeded' });

test.each<[string, Answer, string, string]>([
  ['a session that is too full to answer', failing(new PromptTooLongError()), 'prompt_too_long', 'info'],
  ['a session that is too full by its vendor’s code', failing(coded), 'prompt_too_long', 'info'],
  ['a client that prints the error as its answer', 'Prompt is too long', 'prompt_too_long', 'info'],
  ['an empty answer', ' \n', 'empty', 'warn'],
  ['an empty block', '<checkpoint>\n</checkpoint>', 'empty', 'warn'],
  ['an error of any other kind', failing(new Error('no network')), 'failed', 'warn'],
  ['an error that is thrown at once', throwsAtOnce, 'failed', 'warn'],
  ['an answer that is no text', () => undefined as unknown as string, 'empty', 'warn'],
  ['an answer that never comes', () => new Promise(() => undefined), 'timeout', 'warn'],
])(
  '%s loses the checkpoint but not the run: the fresh session gets the minimal prompt',
  async (_, answer, missing, level) => {
    const { run, agent, lines } = await runWith(answer);
    expect(agent.starts[1]).toBe(buildMinimalPrompt('the task'));
    expect(run).toMatchObject({ outcome: 'finished', continuations: 1, checkpoint: null });
    expect(run.missingCheckpoint).toBe(missing);
    const line = `${level}: agent: no checkpoint (${missing}), continuing with the minimal prompt`;
    expect(lines).toEqual([line]);
  },
);

test('aborts a query that takes too long', async () => {
  let heard: AbortSignal | undefined;
  await runWith((signal) => {
    heard = signal;
    return new Promise(() => undefined);
  });
  expect(heard?.aborted).toBe(true);
});

test('never queries an agent that never named its session', async () => {
  const agent = scriptedAgent({ contexts: [[{ ...FULL, session_id: '' }], [say('done')]] });
  const run = await runWithRestarts({ agent, prompt: 'the task' });
  expect(agent.queries).toEqual([]);
  expect(run).toMatchObject({ continuations: 1, missingCheckpoint: 'no_session' });
  expect(agent.starts[1]).toBe(buildMinimalPrompt('the task'));
});
