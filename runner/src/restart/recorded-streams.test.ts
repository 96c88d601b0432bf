/** Streams that agents wrote, through the loop with and without an adapter, and through the wrapper of the Agent SDK. */
import { expect, test } from 'vitest';
import { trackQuery } from '../sdks';
import type { ReportedTurn } from '../usage';
import {
  addUp,
  CLAUDE_STREAMS,
  OTHER_STREAMS,
  type RecordedStream,
  readStream,
} from '../usage/testing/recorded-streams';
import { recordingLogger } from '../usage/testing/recording-logger';
import { createClaudeAgent, runWithRestarts } from './index';

async function* play(name: string) {
  yield* readStream(name);
}

/** Keeps the last report of each call of the main chain. */
function recordingSession() {
  const calls = new Map<string, ReportedTurn>();
  const turn = (fields: ReportedTurn) => {
    if (fields.chain === undefined) calls.set(String(fields.call ?? `turn ${calls.size}`), fields);
  };
  const sums = () =>
    addUp(
      [...calls.values()].map(({ usage }) => [
        usage?.inputTokens ?? 0,
        usage?.outputTokens ?? 0,
        usage?.cacheReadTokens ?? 0,
      ]),
    );
  return { session: { turn, restart: () => undefined }, sums };
}

type Way = [
  string,
  (stream: RecordedStream, session: ReturnType<typeof recordingSession>['session']) => unknown,
];
const plain: Way = [
  'the loop without an adapter',
  async ({ name }, session) => {
    const logger = recordingLogger();
    const { contexts } = await runWithRestarts({
      agent: { start: () => play(name), query: async () => '' },
      prompt: 'Fix it.',
      restartLine: 2,
      limit: 300_000,
      runningTotals: name === 'streams/codex-exec',
      session,
      logger,
    });
    expect(contexts).toMatchObject([{ endedBy: 'agent' }]);
    expect(contexts[0]?.state).not.toBe('untracked');
    expect(logger.lines.filter((line) => /disabled/.test(line))).toEqual([]);
  },
];
const claude: Way[] = [
  [
    'createClaudeAgent',
    ({ name }, session) =>
      runWithRestarts({
        agent: createClaudeAgent({ query: () => play(name) }),
        prompt: 'Fix it.',
        restartLine: 2,
        session,
      }),
  ],
  [
    'trackQuery',
    async ({ name }, session) => {
      for await (const _message of trackQuery(() => play(name), { session })({ prompt: 'Fix it.' }));
    },
  ],
];

const cases = [
  ...CLAUDE_STREAMS.flatMap((stream) => [plain, ...claude].map((way) => ({ ...stream, way }))),
  // A rollout is a file, not a stream of messages.
  ...OTHER_STREAMS.filter(({ name }) => name !== 'streams/codex-rollout').map((stream) => ({
    ...stream,
    way: plain,
  })),
];

test.each(cases)('$way.0 counts each call of $name once', async ({ way: [, run], ...stream }) => {
  const { session, sums } = recordingSession();
  await run(stream, session);
  expect(sums()).toEqual(stream.sums);
});

test.each([
  ['createClaudeAgent', (query: () => AsyncIterable<unknown>) => createClaudeAgent({ query })],
  [
    'an agent without an adapter',
    (query: () => AsyncIterable<unknown>) => ({ start: query, query: async () => '' }),
  ],
])('%s counts the last call of a run that fails before its result', async (_, agentOf) => {
  const { session, sums } = recordingSession();
  const agent = agentOf(async function* () {
    for (const message of readStream('streams/claude-code-turn')) {
      if (message.type === 'result') throw new Error('The client crashed.');
      yield message;
    }
  });
  await expect(runWithRestarts({ agent, prompt: 'Fix it.', session })).rejects.toThrow('crashed');
  // The message of the call states a placeholder for its output.
  expect(sums()).toEqual([9, 1, 90_000]);
});

test('an agent without an adapter restarts at the size of its calls, with the cache', async () => {
  const started: string[] = [];
  const { contexts } = await runWithRestarts({
    agent: {
      start: (prompt: string) => {
        started.push(prompt);
        return play(started.length === 1 ? 'streams/claude-code-auto-compact' : 'streams/claude-code-turn');
      },
      query: async () => '<checkpoint>Half done.</checkpoint>',
    },
    prompt: 'Fix it.',
    limit: 200_000,
  });
  // The calls have 100 k, 141 k and 187 k tokens, nearly all of them cached; the results state 28 to 3 000 uncached ones.
  expect(contexts.map(({ endedBy }) => endedBy)).toEqual(['pressure', 'agent']);
  expect(contexts[0]?.pressure).toBeCloseTo(0.935, 2);
  expect(started[1]).toContain('Half done.');
});

test('an agent that yields the raw events of an Anthropic stream restarts at the size of its calls', async () => {
  let contexts = 0;
  const agent = {
    async *start() {
      contexts += 1;
      const last = contexts === 1 ? 9 : 1;
      for (let turn = 1; turn <= last; turn += 1) {
        const usage = { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 30_000 * turn };
        const id = `msg_${contexts}_${turn}`;
        yield { type: 'message_start', message: { id, type: 'message', model: 'claude-haiku-4-5', usage } };
        const stop_reason = turn === last ? 'end_turn' : 'tool_use';
        yield { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 100 } };
        yield { type: 'message_stop' };
      }
    },
    query: async () => 'unused',
  };
  const run = await runWithRestarts({ agent, prompt: 'Fix it.' });
  expect(run.contexts).toMatchObject([
    { endedBy: 'pressure', inputTokens: 30, outputTokens: 600, pressure: 180_105 / 200_000 },
    { endedBy: 'agent', outputTokens: 100 },
  ]);
});

test('the last call of a turn gets the rest of the output, even if its tool result is the last message', async () => {
  const turns: ReportedTurn[] = [];
  const agent = {
    async *start() {
      const base = { session_id: 's-1', parent_tool_use_id: null };
      const usage = { input_tokens: 9, output_tokens: 2, cache_read_input_tokens: 500 };
      const message = { id: 'msg_1', type: 'message', model: 'claude-haiku-4-5', usage };
      yield { ...base, type: 'assistant', message };
      yield { ...base, type: 'user', message: { role: 'user', content: [] } };
      yield { ...base, type: 'result', subtype: 'error_max_turns', usage: { ...usage, output_tokens: 340 } };
    },
    query: async () => 'unused',
  };
  const session = { turn: (turn: ReportedTurn) => turns.push(turn), restart: () => null };
  const { contexts } = await runWithRestarts({ agent, prompt: 'Fix it.', session });
  expect(contexts).toMatchObject([{ inputTokens: 9, outputTokens: 340, cacheReadTokens: 500 }]);
  expect(turns.map(({ call, usage }) => [call, usage?.outputTokens])).toEqual([
    ['msg_1', 2],
    ['msg_1', 340],
  ]);
});
