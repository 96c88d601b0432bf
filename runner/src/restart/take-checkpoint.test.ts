import { expect, test } from 'vitest';
import { recordingLogger } from '../usage/testing/recording-logger';
import { buildMinimalPrompt, PromptTooLongError, runWithRestarts } from './index';
import { type ScriptedAgentOptions, say, scriptedAgent, turnOf } from './testing/scripted-agent';

const FULL = turnOf(190_000);

type Answer = NonNullable<ScriptedAgentOptions['answers']>[number];

async function runWith(answer: Answer, checkpointTimeoutMs?: number) {
  const logger = recordingLogger();
  const agent = scriptedAgent({ contexts: [[FULL], [say('done')]], answers: Array(5).fill(answer) });
  const run = await runWithRestarts({
    agent,
    prompt: 'the task',
    logger,
    checkpointTimeoutMs,
    retryMs: 1,
  });
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

test.each<[string, Answer, string, string, number?]>([
  ['a session that is too full to answer', failing(new PromptTooLongError()), 'prompt_too_long', 'info'],
  ['a session that is too full by its vendor’s code', failing(coded), 'prompt_too_long', 'info'],
  ['a client that prints the error as its answer', 'Prompt is too long', 'prompt_too_long', 'info'],
  ['an empty answer', ' \n', 'empty', 'warn'],
  ['an empty block', '<checkpoint>\n</checkpoint>', 'empty', 'warn'],
  ['an error of any other kind', failing(new Error('no network')), 'failed', 'warn'],
  ['an error that is thrown at once', throwsAtOnce, 'failed', 'warn'],
  ['an answer that is no text', () => undefined as unknown as string, 'empty', 'warn'],
  ['an answer that never comes', () => new Promise(() => undefined), 'timeout', 'warn', 10],
])(
  '%s loses the checkpoint but not the run: the fresh session gets the minimal prompt',
  async (_, answer, missing, level, timeoutMs) => {
    const { run, agent, lines } = await runWith(answer, timeoutMs);
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
  }, 10);
  expect(heard?.aborted).toBe(true);
});

test('never queries an agent that never named its session', async () => {
  const agent = scriptedAgent({ contexts: [[{ ...FULL, session_id: '' }], [say('done')]] });
  const run = await runWithRestarts({ agent, prompt: 'the task' });
  expect(agent.queries).toEqual([]);
  expect(run).toMatchObject({ continuations: 1, missingCheckpoint: 'no_session' });
  expect(agent.starts[1]).toBe(buildMinimalPrompt('the task'));
});

const overloaded = () => Object.assign(new Error('529 Overloaded'), { status: 529 });

test.each<[string, () => Error]>([
  ['an overloaded provider', overloaded],
  ['a rate limit', () => Object.assign(new Error('429'), { status: 429 })],
  ['a lost connection', () => new TypeError('fetch failed')],
])('%s does not lose the checkpoint: the query is repeated with growing waits', async (_, error) => {
  const fail = () => Promise.reject(error());
  const logger = recordingLogger();
  const agent = scriptedAgent({ contexts: [[FULL], [say('done')]], answers: [fail, fail, fail, 'state'] });
  const run = await runWithRestarts({ agent, prompt: 'p', logger, retryMs: 2 });
  expect(run).toMatchObject({ checkpoint: 'state', missingCheckpoint: null });
  expect(logger.lines.filter((line) => line.includes('retrying'))).toEqual(
    [2, 4, 8].map((wait) => `warn: agent: the checkpoint query failed, retrying in ${wait} ms`),
  );
});

test('never repeats a query that the provider refuses for good', async () => {
  const refused = failing(Object.assign(new Error('401'), { status: 401 }));
  const { run, agent } = await runWith(refused);
  expect(agent.queries).toHaveLength(1);
  expect(run.missingCheckpoint).toBe('failed');
});

test('the owner’s signal ends the wait before a retry', async () => {
  const controller = new AbortController();
  const fail = () => {
    // The loop begins to wait after this answer.
    setImmediate(() => controller.abort(new Error('stopped by hand')));
    return Promise.reject(overloaded());
  };
  const agent = scriptedAgent({ contexts: [[FULL]], answers: [fail] });
  const run = runWithRestarts({ agent, prompt: 'p', signal: controller.signal, retryMs: 60_000 });
  await expect(run).rejects.toThrow('stopped by hand');
  expect(agent.queries).toHaveLength(1);
});

test('counts the calls that a query took, and reports them before the restart', async () => {
  const reports: [string, object][] = [];
  const session = {
    turn: (turn: object) => reports.push(['turn', turn]),
    restart: (restart: object) => reports.push(['restart', restart]),
  };
  const scripted = scriptedAgent({ contexts: [[FULL], [say('done')]] });
  const usage = { input_tokens: 5, output_tokens: 700, cache_read_input_tokens: 190_000 };
  const query = async () => ({ text: 'state', calls: [{ usage, call: 'msg_9' }] });
  const run = await runWithRestarts({ agent: { ...scripted, query }, prompt: 'p', session });
  expect(run.checkpoint).toBe('state');
  expect(reports.map(([name]) => name)).toEqual(['turn', 'turn', 'restart']);
  expect(reports[1]?.[1]).toMatchObject({
    call: 'msg_9',
    usage: { outputTokens: 700, cacheReadTokens: 190_000 },
  });
});
