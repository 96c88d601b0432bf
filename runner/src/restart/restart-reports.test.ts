import { expect, test } from 'vitest';
import type { RunnerSession } from '../client/client-types';
import { recordingLogger } from '../usage/testing/recording-logger';
import { buildContinuationPrompt, type RestartSession, runWithRestarts } from './index';
import type { Agent } from './restart-types';
import { say, scriptedAgent, turnOf } from './testing/scripted-agent';

type Report = [string, unknown];

function recordingSession(): RestartSession & { reports: Report[] } {
  const reports: Report[] = [];
  const keep = (name: string) => (fields: unknown) => reports.push([name, fields]);
  return {
    key: 'ticket-7',
    reports,
    start: keep('start'),
    turn: keep('turn'),
    gap: keep('gap'),
    restart: keep('restart'),
    alias: keep('alias'),
    compaction: keep('compaction'),
    clear: keep('clear'),
    end: keep('end'),
  };
}

const contexts = [[turnOf(150_000, 40_000, 9)], [turnOf(100, 5)]];

test('turns, restarts and session ids are reported in their order', async () => {
  const session = recordingSession();
  const agent = scriptedAgent({ contexts, answers: ['state'] });
  await runWithRestarts({ agent, prompt: 'p', session, limit: 200_000 });
  expect(session.reports).toEqual([
    ['start', { restartLine: 0.9, limit: 200_000, client: 'scripted' }],
    ['alias', { client: 'scripted', clientSessionId: 's-0' }],
    ['start', { lens: 'cumulative' }],
    [
      'turn',
      {
        usage: { inputTokens: 150_000, outputTokens: 40_000, cacheReadTokens: 9, cacheCreationTokens: 0 },
        limit: 200_000,
      },
    ],
    [
      'restart',
      {
        continuation: 1,
        reason: 'restart line',
        pressure: 0.95,
        checkpoint: 'state',
        prompt: buildContinuationPrompt('state'),
      },
    ],
    ['alias', { client: 'scripted', clientSessionId: 's-1' }],
    [
      'turn',
      {
        usage: { inputTokens: 100, outputTokens: 5, cacheReadTokens: 0, cacheCreationTokens: 0 },
        limit: 200_000,
      },
    ],
    ['end', { reason: 'finished' }],
  ]);
});

test('a run that returns ends its session unless an option keeps it open, and a run that rejects does not', async () => {
  const endsOf = async (options: object) => {
    const session = recordingSession();
    const agent = scriptedAgent({ contexts: [...contexts, [say('done')]] });
    await runWithRestarts({ agent, prompt: 'p', session, ...options }).catch(() => undefined);
    return session.reports.filter(([name]) => name === 'end');
  };
  expect(await endsOf({ maxContinuations: 0 })).toEqual([
    ['end', { reason: 'maximum number of continuations' }],
  ]);
  expect(await endsOf({ endsSession: false })).toEqual([]);
  const onMessage = () => {
    throw new Error('the program fails');
  };
  expect(await endsOf({ onMessage })).toEqual([]);
});

test('restarts the sums at a boundary of the client, and reports it', async () => {
  const session = recordingSession();
  const read = scriptedReader();
  const agent: Agent<string> = {
    async *start() {
      yield* ['full', 'compacted', 'full', 'cleared', 'full', 'full and compacted', 'full'];
    },
    query: async () => 'unused',
    createReader: () => read,
  };
  const run = await runWithRestarts({ agent, prompt: 'p', limit: 1000, session });
  expect(run).toMatchObject({ continuations: 0, contexts: [{ inputTokens: 800, pressure: 0.8 }] });
  const boundaries = session.reports.filter(([name]) => name === 'compaction' || name === 'clear');
  expect(boundaries).toEqual([
    [
      'compaction',
      { trigger: 'auto', state: 'confirmed', preTokens: 990, postTokens: 20, durationMs: 5, boundary: 'b-1' },
    ],
    ['clear', {}],
    ['compaction', { trigger: 'manual', state: 'confirmed' }],
  ]);
});

test('a warning is logged if the agent continues in the old session', async () => {
  const logger = recordingLogger();
  const full = { ...turnOf(190_000), session_id: 'same' };
  const agent = scriptedAgent({ contexts: [[full], [{ ...say('done'), session_id: 'same' }]] });
  await runWithRestarts({ agent, prompt: 'p', logger });
  expect(logger.lines).toContain(
    'warn: agent: the agent continued session same instead of starting a fresh one',
  );
});

test('the loop accepts the client’s session', () => {
  const fits = (session: RunnerSession): RestartSession => session;
  expect(fits).toBeTypeOf('function');
});

function scriptedReader() {
  const usage = { inputTokens: 800, outputTokens: 0 };
  return (message: string) => {
    if (message === 'compacted') {
      const figures = { preTokens: 990, postTokens: 20, durationMs: 5, id: 'b-1' };
      return { boundary: { kind: 'compaction', trigger: 'auto', ...figures } } as const;
    }
    if (message === 'cleared') return { boundary: { kind: 'clear' } } as const;
    if (message === 'full') return { usage };
    return { usage, boundary: { kind: 'compaction', trigger: 'manual' } } as const;
  };
}

test.each(['throws', 'rejects later'])(
  'neither a logger that throws nor a session that %s ends a run',
  async (how) => {
    const fail = () => {
      throw new Error('the logger is gone');
    };
    let calls = 0;
    const reject = () => {
      calls += 1;
      const error = new Error('the session is gone');
      if (how === 'throws') throw error;
      return Promise.reject(error);
    };
    const outcome = await runWithRestarts({
      agent: scriptedAgent({ contexts }),
      prompt: 'p',
      session: { start: reject, turn: reject, restart: reject, alias: reject },
      logger: { debug: fail, info: fail, warn: fail, error: fail },
    });
    expect([outcome.outcome, outcome.continuations, calls]).toEqual(['finished', 1, 7]);
  },
);

test('an unknown option is refused by name, before the agent starts', async () => {
  const agent = scriptedAgent({ contexts });
  const mistyped = { agent, prompt: 'p', maxContinuation: 1 };
  await expect(runWithRestarts(mistyped)).rejects.toThrow(
    'Unknown setting "maxContinuation". Did you mean "maxContinuations"?',
  );
  expect(agent.log).toEqual([]);
});
