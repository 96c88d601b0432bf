/** Each SDK makes 60 calls through the library. The stored calls must equal the model server's ledger. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@/db/testing/test-database';
import { createClient, type RunnerSession } from '@/runner/src/index';
import { trackOpenAI } from '@/runner/src/openai';
import {
  chatUsage,
  chunks,
  completion,
  response,
  responseEvents,
  responsesUsage,
} from '@/runner/src/openai/testing/calls';
import { events, FakeModelServer, json } from '@/runner/src/openai/testing/fake-model-server';
import {
  createAgentsProcessor,
  createAiSdkMiddleware,
  createLangChainHandler,
  trackAnthropic,
} from '@/runner/src/sdks';
import { message, messageEvents } from '@/runner/src/sdks/testing/messages';
import { isInstalled, load, type SetName } from '@/runner/src/sdks/testing/sdk-sets';
import { makeToken, startServerProcess } from './server-process';
import { storedRows } from './stored-rows';

const CALLS = 60;
/** Number of concurrent calls. */
const WIDTH = 6;

interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}
/** Makes one call and reads its whole answer. */
type Call = (streams: boolean) => Promise<unknown>;
// biome-ignore lint/suspicious/noExplicitAny: the SDKs are not dependencies, so their types are absent.
type Sdk = any;

const PROMPT = 'How full is it?';
const CHAT = { model: 'gpt-test-1', messages: [{ role: 'user', content: PROMPT }] };
const MESSAGE = { ...CHAT, model: 'claude-test-1', max_tokens: 100 };

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _part of stream);
}
const newest = (name: string): Promise<Sdk> => load('newest', name);
const optionsOf = (baseURL: string) => ({ baseURL, apiKey: 'none', maxRetries: 5 });

async function callAiSdk(set: SetName, url: string, session: RunnerSession): Promise<Call> {
  const { generateText, streamText, wrapLanguageModel }: Sdk = await load(set, 'ai');
  const { createOpenAI }: Sdk = await load(set, '@ai-sdk/openai');
  const middleware = createAiSdkMiddleware({ session });
  const model = wrapLanguageModel({ model: createOpenAI(optionsOf(url))('gpt-test-1'), middleware });
  const options = { model, prompt: PROMPT, maxRetries: 5 };
  return (streams) => (streams ? drain(streamText(options).textStream) : generateText(options));
}

const SDKS: Record<string, (url: string, session: RunnerSession) => Promise<Call>> = {
  openai: async (url, session) => {
    const { default: OpenAI } = await newest('openai');
    const client: Sdk = trackOpenAI(new OpenAI(optionsOf(url)), { session });
    const { completions } = client.chat;
    return async (stream) => {
      const answer = await completions.create({ ...CHAT, stream });
      if (stream) await drain(answer);
    };
  },
  anthropic: async (url, session) => {
    const { default: Anthropic } = await newest('@anthropic-ai/sdk');
    const { messages }: Sdk = trackAnthropic(new Anthropic(optionsOf(url.replace('/v1', ''))), { session });
    return (streams) => (streams ? messages.stream(MESSAGE).finalMessage() : messages.create(MESSAGE));
  },
  'ai-sdk': (url, session) => callAiSdk('newest', url, session),
  'ai-sdk 6': (url, session) => callAiSdk('middle', url, session),
  langchain: async (url, session) => {
    const { ChatOpenAI } = await newest('@langchain/openai');
    const model = new ChatOpenAI({ ...optionsOf(url), model: 'gpt-test-1', configuration: { baseURL: url } });
    const options = { callbacks: [createLangChainHandler({ session })] };
    return async (streams) =>
      streams ? drain(await model.stream(PROMPT, options)) : model.invoke(PROMPT, options);
  },
  agents: async (url, session) => {
    const { Agent, OpenAIProvider, Runner, setTraceProcessors, setTracingDisabled } =
      await newest('@openai/agents');
    setTracingDisabled(false);
    setTraceProcessors([createAgentsProcessor({ session })]);
    const runner = new Runner({ modelProvider: new OpenAIProvider(optionsOf(url)), model: 'gpt-test-1' });
    const agent = new Agent({ name: 'Planner' });
    return async (stream) => {
      const run = await runner.run(agent, PROMPT, { stream });
      if (stream) await drain(run.toTextStream());
    };
  },
};

/** A pseudo-random number from a fixed seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The answer to the server's last request, in the shape of its API. */
function answerTo(server: FakeModelServer, usage: Usage, id: object) {
  const { input, output, cacheRead } = usage;
  const streams = server.lastBody().stream === true;
  const { path: asked = '' } = server.requests.at(-1) ?? {};
  if (asked.endsWith('/messages')) return streams ? events(messageEvents(usage)) : json(message(usage));
  if (asked.endsWith('/responses')) {
    const whole = response(responsesUsage(input + cacheRead, output, cacheRead));
    return streams ? events(responseEvents(whole)) : json(whole);
  }
  const counts = chatUsage(input + cacheRead, output, cacheRead);
  return streams ? events(chunks(counts, id)) : json(completion(counts, id));
}

const REFUSAL = json({ error: { message: 'Later.', type: 'x' } }, 503, { 'retry-after-ms': '5' });

describe.skipIf(!isInstalled())('a server with the calls of an SDK', () => {
  let database: TestDatabase;
  let token: string;
  let folder: string;
  let server: Awaited<ReturnType<typeof startServerProcess>>;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'barograph-sdks-'));
    database = await createTestDatabase();
    token = await makeToken(database.sql);
    server = await startServerProcess(database.url);
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    await database?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(Object.keys(SDKS))('stores each answered call of %s once, with its tokens', async (name) => {
    const random = randomNumbers(name.length);
    const ledger: Usage[] = [];
    const model = await FakeModelServer.start();
    for (let index = 0; index < CALLS; index += 1) {
      // LangChain waits at least a second before it retries.
      if (random(name === 'langchain' ? 30 : 5) === 0) model.next(REFUSAL);
      model.next(async (reply) => {
        const created = name === 'anthropic' ? random(5_000) : 0;
        const usage = {
          input: 1 + random(900),
          output: 1 + random(900),
          cacheRead: random(90_000),
          cacheCreation: created,
        };
        ledger.push(usage);
        // Ollama's ids repeat.
        const answer = answerTo(model, usage, random(4) === 0 ? { id: `chatcmpl-${random(3)}` } : {});
        await wait(200 + random(1_800));
        await answer(reply);
      });
    }
    const client = createClient({
      url: server.url,
      token,
      project: 'sdks',
      runner: { name: 'r' },
      queueFolder: path.join(folder, name),
    });
    const call = await SDKS[name]?.(model.url, client.session(name));
    for (let from = 0; from < CALLS; from += WIDTH)
      await Promise.all(Array.from({ length: WIDTH }, (_, index) => call?.(index % 2 === 0)));
    expect(await client.close()).toMatchObject({ delivered: true, refused: [] });
    await model.stop();
    const { turns } = await storedRows(database.sql, name);
    const sorted = (rows: number[][]) => rows.map((row) => row.join(' ')).sort();
    expect(sorted(turns.map((t) => [t.input, t.output, t.cache_read, t.cache_creation, t.reading]))).toEqual(
      sorted(
        ledger.map((u) => [
          u.input,
          u.output,
          u.cacheRead,
          u.cacheCreation,
          u.input + u.output + u.cacheRead + u.cacheCreation,
        ]),
      ),
    );
    expect(ledger).toHaveLength(CALLS);
  });
});
