/** The programs of docs/library/recipes.md, exactly as printed, against a model server and a real server. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as barograph from '@/runner/src/index';
import * as openai from '@/runner/src/openai';
import * as restart from '@/runner/src/restart';
import { fakeQuery, type Message } from '@/runner/src/restart/testing/claude-stream';
import { anthropicClient } from '@/runner/src/restart/testing/readme-agents';
import { ScriptedModel, type SeenCall } from '@/runner/src/restart/testing/scripted-model';
import * as sdks from '@/runner/src/sdks';
import * as tracker from '@/runner/src/tracker';
import * as usage from '@/runner/src/usage';
import { compareCalls } from './compare-calls';
import { preparePlace } from './server-process';

const fileOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const page = readFileSync(fileOf('docs/library/recipes.md'), 'utf8');
const RECIPES = [...page.matchAll(/^## (.*)\n[\s\S]*?```js\n([\s\S]*?)```/gm)].map(
  ([, title = '', code = '']) => ({ title, code }),
);

let model: ScriptedModel;
const place = preparePlace();

beforeEach(async () => {
  const { url } = await place.serve();
  // The second context of the agents begins with the tenth call.
  model = await ScriptedModel.start(Array.from({ length: 12 }, () => [{ name: 'read', text: '52000' }]));
  const { folder, token } = place;
  const settings = { URL: url, TOKEN: token, DATA_DIR: folder, CONFIG_DIR: folder };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(`BAROGRAPH_${name}`, value);
  vi.stubEnv('OPENAI_BASE_URL', model.url);
  vi.stubEnv('OPENAI_API_KEY', 'none');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await model.stop();
});

const linesOf = (name: string): Message[] =>
  readFileSync(fileOf(`runner/fixtures/claude-agent-sdk/${name}`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

interface RecordedMessage {
  id: string;
  usage: Record<string, number>;
}

/** Calls of the recorded query, from its transcript, which states each output. */
const RECORDED = new Map(
  linesOf('transcript.jsonl')
    .filter(({ type }) => type === 'assistant')
    .map(({ message }) => [(message as RecordedMessage).id, (message as RecordedMessage).usage]),
);

/** The recorded stream, with the partial messages that the agent asks for. */
const STREAM = linesOf('query-stream.jsonl').flatMap((line) => {
  if (line.type !== 'assistant') return [line];
  const { id } = line.message as RecordedMessage;
  const partial = (event: object) => ({ ...line, type: 'stream_event', message: undefined, event });
  const usage = { output_tokens: RECORDED.get(id)?.output_tokens };
  return [
    partial({ type: 'message_start', message: { id } }),
    line,
    partial({ type: 'message_delta', usage }),
  ];
});

async function runScript(code: string, replaced: object = {}): Promise<void> {
  const modules = {
    'node:fs/promises': { readFile: async (text: string) => 'x'.repeat(Number(text)) },
    openai: { default: OpenAI },
    '@anthropic-ai/sdk': { default: anthropicClient(model.url) },
    '@anthropic-ai/claude-agent-sdk': fakeQuery([STREAM]),
    barograph,
    'barograph/openai': openai,
    'barograph/restart': restart,
    'barograph/sdks': sdks,
    'barograph/tracker': tracker,
    'barograph/usage': usage,
    ...replaced,
  };
  const body = code
    .replace(/^import (\w+) from '(.*)';$/gm, "const { default: $1 } = modules['$2'];")
    .replace(/^import (\{.*\}) from '(.*)';$/gm, "const $1 = modules['$2'];");
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  await new AsyncFunction('modules', 'console', body)(modules, { log: () => undefined });
}

function recordedCalls(): SeenCall[] {
  return [...RECORDED.values()].map((usage, index) => ({
    number: index + 1,
    input: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheCreation: usage.cache_creation_input_tokens ?? 0,
  }));
}

test('the page has recipes for each combination of the parts', () => {
  expect(RECIPES.length).toBeGreaterThanOrEqual(5);
  expect(RECIPES.length).toBe(page.split('```').length >> 1);
});

async function runRecipe({ code }: (typeof RECIPES)[number]): Promise<void> {
  // Each run has a session of its own.
  const own = randomUUID();
  const program = code.replace(/(?<=session\(['"])[\w-]+/, own);
  await runScript(program);
  const made = code.includes('agent-sdk') ? recordedCalls() : model.calls;
  expect(made.length).toBeGreaterThan(1);
  await compareCalls(place.database.sql, own, made);
}

test.each(RECIPES)('“$title” stores each call of the model once', runRecipe);

test.each(RECIPES.filter(({ code }) => code.includes('trackOpenAI')))(
  '“$title” stores each call once if the ids of the model server repeat',
  async (recipe) => {
    model.repeatsIds = true;
    await runRecipe(recipe);
  },
);

test('the README’s code for the client stores its turn, restart and end', async () => {
  const readme = readFileSync(fileOf('runner/README.md'), 'utf8');
  const section = readme.slice(readme.indexOf('\n## The client'));
  const code = /```js\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
  const createClient = (options: barograph.ClientOptions) =>
    barograph.createClient({ ...options, ...barograph.findServer() });
  await runScript(code, { barograph: { ...barograph, createClient } });
  const rows = await place.database.sql`
    select t.input, t.output, t.cache_read from turns t join sessions s on s.id = t.session_id
    where s.key = 'ticket-4711' and s.title = 'Fix the ledger'`;
  expect(rows.map((row) => Object.values(row).map(Number))).toEqual([[487, 5_880, 1_432_262]]);
});
