/** The README's agents against a scripted model and a real server: no crash at the limit, and equal numbers. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@/db/testing/test-database';
import { EndlessRestartError } from '@/runner/src/restart';
import {
  type AgentRun,
  PROVIDERS,
  readmeCode,
  runReadmeAgent,
} from '@/runner/src/restart/testing/readme-agents';
import { type PlannedTool, ScriptedModel } from '@/runner/src/restart/testing/scripted-model';
import { compareCalls } from './compare-calls';
import { makeToken, serverStarter } from './server-process';

const root = fileURLToPath(new URL('../../', import.meta.url));
const script = fileURLToPath(
  new URL('../../runner/src/restart/testing/readme-agent-process.ts', import.meta.url),
);

let database: TestDatabase;
let token: string;
let url: string;
let queueFolder: string;
let key: string;
let model: ScriptedModel;
const serve = serverStarter(() => database.url);

beforeAll(async () => {
  database = await createTestDatabase();
  token = await makeToken(database.sql);
});
afterAll(() => database?.close());
beforeEach(async () => {
  ({ url } = await serve());
  queueFolder = mkdtempSync(path.join(tmpdir(), 'barograph-agents-'));
  key = `ledger-${randomUUID()}`;
});
afterEach(async () => {
  await model?.stop();
  rmSync(queueFolder, { recursive: true, force: true });
});

describe.each(PROVIDERS)('the README’s agent for %s', (provider) => {
  const window = provider === 'anthropic' ? 200_000 : 128_000;
  /** Reads a file with this share of the window. */
  const read = (share: number): PlannedTool[] => [
    { name: 'read', text: String(Math.round(share * window * 4)) },
  ];
  const setup = (): AgentRun => ({ provider, modelUrl: model.url, url, token, queueFolder, key });

  const compare = () => compareCalls(database.sql, key, model.calls);

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

  test('goes on from its checkpoint after an abort', async () => {
    model = await ScriptedModel.start(Array.from({ length: 12 }, () => read(0.1)));
    const controller = new AbortController();
    let checkpoints = 0;
    model.onRequest = ({ isCheckpoint }) => {
      if (isCheckpoint) checkpoints += 1;
      else if (checkpoints > 0) controller.abort(new Error('stopped by hand'));
      return new Promise((resolve) => setTimeout(resolve, checkpoints > 0 ? 50 : 0));
    };
    expect(await runReadmeAgent({ ...setup(), signal: controller.signal })).toBe(controller.signal.reason);
    model.onRequest = () => undefined;
    const run = await runReadmeAgent(setup());
    expect(run).toMatchObject({ outcome: 'finished', continuations: 2, contexts: [{ continuation: 2 }] });
    await compare();
  });

  test('goes on from its last checkpoint and its spool after each kill', async () => {
    model = await ScriptedModel.start(Array.from({ length: 12 }, () => read(0.1)));
    let checkpoints = 0;
    /** During the second and fifth call, the first checkpoint query, and the first call after a restart. */
    const moments: ((request: { number: number; isCheckpoint: boolean }) => boolean)[] = [
      ({ number }) => number === 2,
      ({ number }) => number === 5,
      ({ isCheckpoint }) => isCheckpoint,
      ({ isCheckpoint }) => !isCheckpoint && checkpoints > 1,
    ];
    let child: ReturnType<typeof spawn> | null = null;
    model.onRequest = async (request) => {
      if (request.isCheckpoint) checkpoints += 1;
      if (child === null || moments[0]?.(request) !== true) return;
      moments.shift();
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      await new Promise((resolve) => setTimeout(resolve, 50));
    };
    let code: unknown = null;
    for (let attempt = 0; attempt < 6 && code !== 0; attempt += 1) {
      child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(setup())], {
        cwd: root,
        env: { NODE_ENV: 'test', PATH: process.env.PATH ?? '', HOME: queueFolder },
        stdio: 'inherit',
      });
      [code] = await once(child, 'exit');
    }
    expect([code, moments]).toEqual([0, []]);
    await compare();
  }, 120_000);

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
