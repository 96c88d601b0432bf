/** The README's agents against a scripted model and a real server: no crash at the limit, and equal numbers. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRandom, type Random } from '@/core/scenario/random';
import { createClient } from '@/runner/src/index';
import { EndlessRestartError } from '@/runner/src/restart';
import {
  type AgentRun,
  PROVIDERS,
  readmeCode,
  runReadmeAgent,
} from '@/runner/src/restart/testing/readme-agents';
import {
  type PlannedTool,
  ScriptedModel,
  type SeenCall,
  type SeenRequest,
} from '@/runner/src/restart/testing/scripted-model';
import { bundleScript } from '@/runner/testing/bundle-script';
import { compareCalls } from './compare-calls';
import { until } from './prepare-wire';
import { preparePlace } from './server-process';
import type { ServerProcess } from './start-server-process';

const script = await bundleScript(
  new URL('../../runner/src/restart/testing/readme-agent-process.ts', import.meta.url).pathname,
);
cpSync('runner/src/restart/prompts', join(dirname(script), 'prompts'), { recursive: true });

/** `AGENT_SEED=9 AGENT_ROUNDS=20` stops the agents at the points of the seeds 9 to 28. */
const { AGENT_SEED = '1', AGENT_ROUNDS = '1' } = process.env;
const SEEDS = Array.from({ length: Number(AGENT_ROUNDS) }, (_, index) => Number(AGENT_SEED) + index);

const STOPS = ['request', 'answer', 'stored'] as const;

/** When to stop an agent. */
interface Moment {
  isAt(request: SeenRequest, checkpoints: number): boolean;
  /** Before the answer to this request (default), after it, or when the server has stored another call. */
  stopsAt?: (typeof STOPS)[number];
}

interface StartedAgent {
  /** Whether the agent has finished. */
  ended: Promise<boolean>;
  stop(): Promise<void>;
}

let server: ServerProcess;
let key: string;
let model: ScriptedModel;
const place = preparePlace();

beforeEach(async () => {
  server = await place.serve();
  key = `ledger-${randomUUID()}`;
});
afterEach(async () => {
  await model?.stop();
});

/** Calls of the agent that the server has stored. */
async function countStored(): Promise<number> {
  const [row] = await place.database.sql<{ count: number }[]>`
    select count(*)::int as count from turns t join sessions s on s.id = t.session_id where s.key = ${key}`;
  return row?.count ?? 0;
}

const closed = (response: SeenRequest['response']) => finished(response).catch(() => undefined);

/**
 * Stops the agent at each moment and starts it again, until it finishes.
 * @returns the calls that a stopped agent may not have read: no later request of the agent shows that it did. The agent
 * reads the answers of all its sub-agents before its own next request.
 */
async function interrupt(
  moments: Moment[],
  start: (modelUrl: string) => StartedAgent | Promise<StartedAgent>,
  isOverloaded: (number: number) => boolean = () => false,
): Promise<SeenCall[]> {
  const unread: SeenCall[] = [];
  let checkpoints = 0;
  let newest = 0;
  let newestOfMain = 0;
  /** Start of the paths of the running agent. Requests that a stopped agent still sent get no answer. */
  let folder = '';
  let agent: StartedAgent | null = null;
  const stop = async (of: string) => {
    if (of !== folder) return;
    folder = '/stopped';
    await agent?.stop();
    const first = newest > newestOfMain ? newestOfMain + 1 : newest;
    unread.push(...model.calls.filter(({ number }) => number >= first));
  };
  model.onRequest = async (request) => {
    const { number, response } = request;
    const of = folder;
    if (!request.path.startsWith(of)) return closed(response);
    newest = number;
    if (!request.isSub) newestOfMain = number;
    if (request.isCheckpoint) checkpoints += 1;
    const [moment] = moments;
    if (moment?.isAt(request, checkpoints) === true) {
      moments.shift();
      const { stopsAt = 'request' } = moment;
      if (stopsAt === 'request') {
        await stop(of);
        return closed(response);
      }
      const before = await countStored();
      void closed(response).then(async () => {
        if (stopsAt === 'stored') await until(async () => of !== folder || (await countStored()) > before);
        await stop(of);
      });
    }
    return isOverloaded(number) ? 529 : undefined;
  };
  for (let run = 1; ; run += 1) {
    folder = `/run-${run}/`;
    agent = await start(model.url.replace('/v1', `${folder}v1`));
    const isFinished = await agent.ended;
    // Ends a wait for another call.
    folder = '/ended';
    if (isFinished) return unread;
  }
}

/** Three moments, each at one of the ten requests after the one before. */
function randomMoments(random: Random): Moment[] {
  let from = 0;
  return Array.from({ length: 3 }, () => {
    const skipped = random.int(0, 9);
    const isAt = ({ number }: SeenRequest) => {
      if (from === 0) from = number + skipped;
      const isNow = number >= from;
      if (isNow) from = 0;
      return isNow;
    };
    return { isAt, stopsAt: STOPS[random.int(0, 2)] ?? 'request' };
  });
}

describe.each(PROVIDERS)('the README’s agent for %s', (provider) => {
  const window = provider === 'anthropic' ? 200_000 : 128_000;
  /** Reads a file with this share of the window. */
  const read = (share: number): PlannedTool[] => [
    { name: 'read', text: String(Math.round(share * window * 4)) },
  ];
  const setup = (): AgentRun => ({
    provider,
    code: readmeCode(provider),
    modelUrl: model.url,
    url: server.url,
    token: place.token,
    queueFolder: place.folder,
    key,
  });

  const compare = (unread?: SeenCall[]) => compareCalls(place.database.sql, key, model.calls, unread);

  test('has at most 25 lines', () => {
    expect(readmeCode(provider).trim().split('\n').length).toBeLessThanOrEqual(25);
  });

  test('restarts at the line with prompt caching, before the provider refuses a prompt', async () => {
    model = await ScriptedModel.start(Array.from({ length: 15 }, () => read(0.1)));
    expect(await runReadmeAgent(setup())).toMatchObject({ outcome: 'finished', continuations: 1 });
    expect(new Set(model.statuses)).toEqual(new Set([200]));
    await compare();
  });

  test('survives a tool result of 50 000 tokens at 85 % of the window', async () => {
    const plan = [...Array.from({ length: 8 }, () => read(0.106)), read(50_000 / window), read(0.1)];
    model = await ScriptedModel.start(plan);
    const run = await runReadmeAgent(setup());
    expect(run).toMatchObject({ outcome: 'finished', continuations: 1, missingCheckpoint: null });
    expect(run).toMatchObject({ contexts: [{ endedBy: 'forecast' }, { endedBy: 'agent' }] });
    await compare();
  });

  test('survives answers of 529, also to the checkpoint query', async () => {
    model = await ScriptedModel.start(Array.from({ length: 12 }, () => read(0.1)));
    let checkpoints = 0;
    model.onRequest = ({ number, isCheckpoint }) => {
      if (isCheckpoint) checkpoints += 1;
      return number % 3 === 0 || (isCheckpoint && checkpoints === 1) ? 529 : undefined;
    };
    const run = await runReadmeAgent(setup());
    expect(run).toMatchObject({ outcome: 'finished', continuations: 1, missingCheckpoint: null });
    expect(model.statuses.filter((status) => status === 529).length).toBeGreaterThan(4);
    await compare();
  });

  /** An agent that an abort stops. */
  const startHere = (modelUrl: string): StartedAgent => {
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error('stopped by hand');
    const ended = runReadmeAgent({ ...setup(), modelUrl, signal }).then((run) => {
      if (run !== reason) expect(run).toMatchObject({ outcome: 'finished' });
      return run !== reason;
    });
    return { ended, stop: async () => controller.abort(reason) };
  };

  /** An agent in a process that a kill stops. */
  const startProcess = (modelUrl: string): StartedAgent => {
    const child = spawn(process.execPath, [script, JSON.stringify({ ...setup(), modelUrl })], {
      env: { NODE_ENV: 'test', PATH: process.env.PATH ?? '', HOME: place.folder },
      stdio: 'inherit',
    });
    const exited = once(child, 'exit');
    const ended = exited.then(([code, signal]) => {
      if (signal !== 'SIGKILL') expect(code).toBe(0);
      return code === 0;
    });
    return {
      ended,
      async stop() {
        child.kill('SIGKILL');
        await exited;
      },
    };
  };

  describe.each([
    ['an abort', startHere],
    ['a kill', startProcess],
  ])('after %s', (_, start) => {
    beforeEach(async () => {
      model = await ScriptedModel.start(Array.from({ length: 12 }, () => read(0.1)));
    });

    test('goes on from its last checkpoint and its spool', async () => {
      const moments: Moment[] = [
        { isAt: ({ number }) => number === 2 },
        { isAt: ({ number }) => number === 5 },
        { isAt: ({ isCheckpoint }) => isCheckpoint },
        { isAt: ({ isCheckpoint }, checkpoints) => !isCheckpoint && checkpoints > 1 },
        { isAt: ({ done }) => resumedAt.push(done) === 0 },
      ];
      /** Steps that the checkpoint names, for each request after the last stop. */
      const resumedAt: number[] = [];
      expect(await interrupt(moments, start)).toEqual([]);
      expect(moments).toHaveLength(1);
      expect(Math.min(...resumedAt)).toBeGreaterThan(0);
      await compare();
    });

    test.each(SEEDS)('at points of seed %i, loses only an answer that it had not read', async (seed) => {
      const random = createRandom(seed);
      const unread = await interrupt(randomMoments(random), start, (number) => number % 7 === 3);
      await compare(unread);
    });
  });

  test.each(SEEDS.flatMap((seed) => [[seed, startHere] as const, [seed, startProcess] as const]))(
    'stopped at points of seed %i with parallel sub-agents, loses only answers that it had not read',
    async (seed, start) => {
      const random = createRandom(seed);
      const delegate = [1, 2, 3, 4].map((n): PlannedTool => ({ name: 'delegate', text: `Sub-task ${n}` }));
      model = await ScriptedModel.start([delegate, read(0.1), delegate, delegate, read(0.1)]);
      const unread = await interrupt(randomMoments(random), start, (number) => number % 7 === 3);
      expect((await compare(unread)).size).toBeGreaterThan(4);
    },
  );

  test('sends the calls of a killed agent that could not reach the server', async () => {
    model = await ScriptedModel.start(Array.from({ length: 12 }, () => read(0.1)));
    await server.kill();
    let runs = 0;
    const start = async (modelUrl: string) => {
      runs += 1;
      if (runs > 1) await place.serve(server.port);
      return startProcess(modelUrl);
    };
    await interrupt([{ isAt: ({ number }) => number === 8 }], start);
    // The second run may end before it has sent everything.
    const { url } = server;
    const { token, folder: queueFolder } = place;
    const next = createClient({ url, token, project: 'night-shift', runner: { name: 'agent' }, queueFolder });
    await expect.poll(() => next.stats().adopted.queues).toBe(0);
    await next.close();
    await compare();
  });

  test('stops with an error if each fresh context begins above the line', async () => {
    model = await ScriptedModel.start(Array.from({ length: 30 }, () => read(0.001)));
    const run = await runReadmeAgent({ ...setup(), system: 'y'.repeat(window * 4 * 0.93) });
    expect(run).toBeInstanceOf(EndlessRestartError);
    await compare();
  });

  test('reports parallel sub-agents in a chain each', async () => {
    const delegate = [1, 2, 3].map((n): PlannedTool => ({ name: 'delegate', text: `Sub-task ${n}` }));
    model = await ScriptedModel.start([delegate, read(0.1)]);
    let waiting: (() => void)[] = [];
    model.onRequest = ({ isSub }) =>
      isSub &&
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length < delegate.length) return;
        for (const go of waiting) go();
        waiting = [];
      });
    expect(await runReadmeAgent(setup())).toMatchObject({ outcome: 'finished', continuations: 0 });
    expect((await compare()).size).toBe(4);
  });
});
