/** Runs code of the package's README, exactly as printed. Other tests run the blocks about usage, agents and SDKs. */
import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import * as archive from './archive';
import * as openai from './openai';
import { chatUsage, chunks, completion, MESSAGES, RecordingSession } from './openai/testing/calls';
import { events, FakeModelServer, json } from './openai/testing/fake-model-server';
import * as restart from './restart';
import { call, fakeQuery, success, toolResult } from './restart/testing/claude-stream';
import * as tracker from './tracker';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const MODULES = {
  'barograph/archive': archive,
  'barograph/openai': openai,
  'barograph/restart': restart,
  'barograph/tracker': tracker,
};

/** Runs the block that contains `part`, with these exports of `setup.mjs`. @returns what it prints. */
async function run(part: string, setup: Record<string, unknown>, modules: object = {}) {
  const blocks = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code ?? '');
  const body = blocks
    .find((code) => code.includes(part))
    ?.replace(/^import (\w+) from '(.*)';$/gm, "const { default: $1 } = modules['$2'];")
    .replace(/^import (\{.*\}) from '(.*)';$/gm, "const $1 = modules['$2'];");
  const lines: unknown[][] = [];
  const all = {
    modules: { ...MODULES, './setup.mjs': { prompt: 'Fix it.', messages: MESSAGES, ...setup }, ...modules },
    console: { log: (...line: unknown[]) => lines.push(line) },
    process: { stdout: { write: () => true } },
  };
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  await new AsyncFunction(...Object.keys(all), body ?? 'throw new Error("There is no such block")')(
    ...Object.values(all),
  );
  return lines;
}

test('the restart of the Claude Agent SDK yields each message with its context', async () => {
  const sdk = { '@anthropic-ai/claude-agent-sdk': fakeQuery([[call('m-1', 100), toolResult, success]]) };
  const session = Object.assign(new RecordingSession(), { restart: () => 0 });
  const lines = await run('agent: createClaudeAgent(', { session }, sdk);
  expect(lines).toEqual([
    [0, 'assistant'],
    [0, 'user'],
    [0, 'result'],
    ['finished', 0],
  ]);
  expect(session.turns).toMatchObject([{ call: 'm-1' }]);
});

test('the hooks of the Claude Agent SDK archive before a compaction', async () => {
  const queries: { options: { hooks: ReturnType<typeof archive.preCompactHooks> } }[] = [];
  const query = (params: (typeof queries)[number]) => {
    queries.push(params);
    return [{ type: 'result' }];
  };
  await run('preCompactHooks(', { session: undefined }, { '@anthropic-ai/claude-agent-sdk': { query } });
  expect(queries[0]?.options.hooks.PreCompact).toHaveLength(1);
});

test('the tracked client of OpenAI prints the size of the context, without the title', async () => {
  const server = await FakeModelServer.start();
  try {
    server.next(events(chunks(chatUsage(1_000, 25))), json(completion(chatUsage(9, 9))));
    class Client extends OpenAI {
      constructor() {
        super({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
      }
    }
    const session = new RecordingSession();
    expect(await run('trackOpenAI(new OpenAI()', { session }, { openai: { default: Client } })).toEqual([
      [1_025, 1_025 / 128_000],
    ]);
    expect(session.turns.map(({ scope = 'main' }) => scope)).toEqual(['main', 'side']);
  } finally {
    await server.stop();
  }
});

test('the tracker reports a turn with the composition of its context', async () => {
  const session = Object.assign(new RecordingSession(), {
    clear: () => 0,
    compress: () => 0,
    reading: () => 0,
  });
  await run('new ContextTracker({', { session });
  expect(session.turns).toMatchObject([
    {
      call: 'msg_1',
      usage: { inputTokens: 487, outputTokens: 5_880 },
      composition: { roles: [{ role: 'user' }] },
    },
  ]);
});
