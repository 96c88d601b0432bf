/**
 * Each SDK makes at least 60 calls through the library, also with tools and as a sub-agent. The calls in the read API must
 * equal the model server's ledger.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunnerSession } from '@/runner/src/index';
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
import { readApi } from '../support/read-api';
import { connectRunner } from '../support/runner';
import { BarographServer, WITHOUT_DEDUPLICATION } from '../support/server';

const CALLS = 60;
/** Number of concurrent runs. */
const WIDTH = 6;

interface LedgerCall {
  isHelper: boolean;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}
/** Runs a prompt to its end, with all calls of its tools. */
type Run = (streams: boolean) => Promise<unknown>;
// biome-ignore lint/suspicious/noExplicitAny: the SDKs are not dependencies, so their types are absent.
type Sdk = any;

interface Place {
  url: string;
  /** Every session reports each call. */
  sessions: readonly RunnerSession[];
  /** The chain of a sub-agent; undefined: the main chain. */
  chain: string | undefined;
}

const HELPER = 'helper';
/** Sub-agents use another model, so that the ledger can distinguish their calls. */
const modelOf = ({ chain }: Pick<Place, 'chain'>) => `gpt-test-${chain ?? '1'}`;
const PROMPT = 'How full is it?';
const MESSAGES = [{ role: 'user', content: PROMPT }];
const SCHEMA = { type: 'object', properties: {} };
const LOOK = { name: 'look', description: 'Looks.' };
const look = async () => 'seen';

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _part of stream);
}
const newest = (name: string): Promise<Sdk> => load('newest', name);
const optionsOf = (baseURL: string) => ({ baseURL, apiKey: 'none', maxRetries: 5 });

async function runAiSdk(set: SetName, place: Place): Promise<Run> {
  const { generateText, streamText, stepCountIs, isStepCount, tool, wrapLanguageModel }: Sdk = await load(
    set,
    'ai',
  );
  const { createOpenAI }: Sdk = await load(set, '@ai-sdk/openai');
  const { z }: Sdk = await load(set, 'zod');
  const { url, sessions, chain } = place;
  const middleware = sessions.map((session) => createAiSdkMiddleware({ session, chain }));
  const model = wrapLanguageModel({ model: createOpenAI(optionsOf(url))(modelOf(place)), middleware });
  const tools = { look: tool({ description: LOOK.description, inputSchema: z.object({}), execute: look }) };
  const stopWhen = (stepCountIs ?? isStepCount)(5);
  const options = { model, prompt: PROMPT, maxRetries: 5, tools, stopWhen };
  return (streams) => (streams ? drain(streamText(options).textStream) : generateText(options));
}

const SDKS: Record<string, (place: Place) => Promise<Run>> = {
  openai: async (place) => {
    const { default: OpenAI } = await newest('openai');
    const { url, sessions, chain } = place;
    let client: Sdk = new OpenAI(optionsOf(url));
    for (const session of sessions) client = trackOpenAI(client, { session, chain });
    const tool = {
      type: 'function',
      function: { ...LOOK, parameters: SCHEMA, function: look, parse: JSON.parse },
    };
    const request = { model: modelOf(place), messages: MESSAGES, tools: [tool] };
    return (stream) => client.chat.completions.runTools({ ...request, stream }).done();
  },
  anthropic: async (place) => {
    const { default: Anthropic } = await newest('@anthropic-ai/sdk');
    const { url, sessions, chain } = place;
    let client: Sdk = new Anthropic(optionsOf(url.replace('/v1', '')));
    for (const session of sessions) client = trackAnthropic(client, { session, chain });
    const request = { model: modelOf(place), messages: MESSAGES, max_tokens: 100 };
    const tool = { ...LOOK, input_schema: SCHEMA, run: look, parse: (input: unknown) => input };
    return (streams) =>
      streams
        ? client.messages.stream(request).finalMessage()
        : client.beta.messages.toolRunner({ ...request, tools: [tool] });
  },
  'ai-sdk': (place) => runAiSdk('newest', place),
  'ai-sdk 6': (place) => runAiSdk('middle', place),
  langchain: async (place) => {
    const { ChatOpenAI } = await newest('@langchain/openai');
    const { url, sessions, chain } = place;
    const model = new ChatOpenAI({
      ...optionsOf(url),
      model: modelOf(place),
      configuration: { baseURL: url },
    });
    const withTools = model.bindTools([{ type: 'function', function: { ...LOOK, parameters: SCHEMA } }]);
    const options = { callbacks: sessions.map((session) => createLangChainHandler({ session, chain })) };
    return async (streams) => {
      if (streams) return drain(await model.stream(MESSAGES, options));
      const messages: unknown[] = [...MESSAGES];
      for (;;) {
        const answer = await withTools.invoke(messages, options);
        if (answer.tool_calls.length === 0) return answer;
        messages.push(answer);
        for (const { id } of answer.tool_calls)
          messages.push({ role: 'tool', content: await look(), tool_call_id: id });
      }
    };
  },
  agents: async (place) => {
    const { Agent, OpenAIProvider, Runner, setTraceProcessors, setTracingDisabled, tool } =
      await newest('@openai/agents');
    const { z } = await newest('zod');
    const { url, sessions } = place;
    setTracingDisabled(false);
    setTraceProcessors(sessions.map((session) => createAgentsProcessor({ session })));
    const runner = new Runner({ modelProvider: new OpenAIProvider(optionsOf(url)), model: 'gpt-test-1' });
    // The SDK runs its own sub-agents, so both places run the same agent.
    const helper = new Agent({ name: HELPER, model: modelOf({ chain: HELPER }) });
    const tools = [
      tool({ ...LOOK, parameters: z.object({}), execute: look }),
      helper.asTool({ toolName: 'help', toolDescription: 'Helps.' }),
    ];
    const agent = new Agent({ name: 'Planner', tools });
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

interface Request {
  model?: string;
  stream?: boolean;
  tools?: { name?: string; function?: { name: string } }[];
}

/** The tool that the model asks for; null: the request has no tools, or the result of a tool. */
function chooseTool(request: Request, random: (below: number) => number): string | null {
  const names = (request.tools ?? []).map(({ name, function: of }) => name ?? of?.name ?? '');
  const isResult = /"role":"tool"|"function_call_output"|"tool_result"/.test(JSON.stringify(request));
  return names.length === 0 || isResult || random(2) === 0 ? null : (names[random(names.length)] ?? null);
}

/** The answer to the server's last request, in the shape of its API. */
function answerTo(server: FakeModelServer, usage: LedgerCall, tool: string | null, ids: { id?: string }) {
  const { input, output, cacheRead } = usage;
  const streams = server.lastBody().stream === true;
  const { path = '' } = server.requests.at(-1) ?? {};
  const id = `call_${input}_${output}`;
  const name = tool ?? '';
  if (path.includes('/messages')) {
    const asks = { content: [{ type: 'tool_use', id, name, input: {} }], stop_reason: 'tool_use' };
    const [inputTokens, outputTokens, cacheReadTokens] = [input, output, cacheRead];
    const counts = { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens: usage.cacheCreation };
    return streams ? events(messageEvents(counts)) : json(message(counts, { ...(tool && asks), ...ids }));
  }
  if (path.endsWith('/responses')) {
    const call = { id: `fc_${id}`, type: 'function_call', call_id: id, name, status: 'completed' };
    const item = { ...call, arguments: name === 'help' ? '{"input":"Look."}' : '{}' };
    const whole = response(responsesUsage(input + cacheRead, output, cacheRead), {
      ...(tool && { output: [item] }),
      ...ids,
    });
    if (!streams) return json(whole);
    const [begin, ...rest] = responseEvents(whole);
    const asks = ['added', 'done'].map((state) => ({
      type: `response.output_item.${state}`,
      output_index: 0,
      item,
    }));
    return events(
      tool === null ? ([begin, ...rest] as object[]) : ([begin, ...asks, rest.at(-1)] as object[]),
    );
  }
  const counts = chatUsage(input + cacheRead, output, cacheRead);
  const tool_calls = [{ index: 0, id, type: 'function', function: { name, arguments: '{}' } }];
  const asks = {
    index: 0,
    finish_reason: 'tool_calls',
    message: { role: 'assistant', content: null, tool_calls },
  };
  if (!streams) return json(completion(counts, { ...(tool && { choices: [asks] }), ...ids }));
  const [first, , last, total] = chunks(counts, ids) as Sdk[];
  if (tool === null) return events(chunks(counts, ids));
  const { message: delta, finish_reason } = asks;
  return events([
    { ...first, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...last, choices: [{ index: 0, delta: {}, finish_reason }] },
    total,
  ]);
}

const REFUSAL = json({ error: { message: 'Later.', type: 'x' } }, 503, { 'retry-after-ms': '5' });

interface Scripted {
  name: string;
  /** Delays of the answers, milliseconds. */
  delays: readonly [shortest: number, longest: number];
  /** The id of an answer; undefined: unique. */
  idOf(random: (below: number) => number, number: number): string | undefined;
}

/** A model server with random answers, which keeps a ledger of them. */
async function startModel({ name, delays, idOf }: Scripted) {
  const random = randomNumbers(name.length);
  const ledger: LedgerCall[] = [];
  let hasRefused = false;
  const server: FakeModelServer = await FakeModelServer.start(async (reply) => {
    const request = server.lastBody() as Request;
    const { path = '' } = server.requests.at(-1) ?? {};
    // LangChain waits at least a second before it retries. Not every SDK passes the number of retries on.
    hasRefused = !hasRefused && random(name === 'langchain' ? 30 : 10) === 0;
    if (hasRefused) return REFUSAL(reply);
    const usage = {
      isHelper: request.model === modelOf({ chain: HELPER }),
      input: 1 + random(900),
      output: 1 + random(900),
      cacheRead: random(90_000),
      cacheCreation: path.includes('/messages') ? random(5_000) : 0,
    };
    ledger.push(usage);
    const id = idOf(random, ledger.length);
    const answer = answerTo(server, usage, chooseTool(request, random), id === undefined ? {} : { id });
    const [shortest, longest] = delays;
    await wait(shortest + random(longest - shortest));
    await answer(reply);
  });
  return { server, ledger };
}

interface Work {
  /** Least number of calls. */
  calls: number;
  /** Number of programs that report each call. */
  observers: number;
}

/**
 * Runs prompts in the main agent and in a sub-agent, until the model has answered enough calls.
 * @returns the calls in the read API and those of the model, as sorted texts
 */
async function makeCalls(script: Scripted, server: BarographServer, { calls, observers }: Work) {
  const { name } = script;
  const key = `${name} of ${observers}`;
  const model = await startModel(script);
  const runners = Array.from({ length: observers }, () => connectRunner(server, { project: 'sdks' }));
  const sessions = runners.map((runner) => runner.session(key));
  const places = [undefined, HELPER].map((chain) => ({ url: model.server.url, sessions, chain }));
  const runs = await Promise.all(places.map((place) => SDKS[name]?.(place)));
  for (let from = 0; model.ledger.length < calls; from += WIDTH)
    await Promise.all(
      Array.from({ length: WIDTH }, (_, index) => runs[index % 3 === 2 ? 1 : 0]?.((from + index) % 2 === 0)),
    );
  for (const runner of runners) expect(await runner.close()).toMatchObject({ delivered: true, refused: [] });
  await model.server.stop();
  const api = readApi(server);
  const { id } = await api.session(key);
  const stored = (await api.turns(id)).map(({ usage, chain, contextTokens }) =>
    [chain, usage?.input, usage?.output, usage?.cacheRead, usage?.cacheCreation, contextTokens].join(' '),
  );
  const made = model.ledger.map(({ isHelper, input, output, cacheRead, cacheCreation }) =>
    [
      isHelper ? HELPER : 'main',
      input,
      output,
      cacheRead,
      cacheCreation,
      input + output + cacheRead + cacheCreation,
    ].join(' '),
  );
  return { stored: stored.sort(), made: made.sort() };
}

describe.skipIf(!isInstalled())('a server with the calls of an SDK', () => {
  let server: BarographServer;
  let forgetful: BarographServer;

  beforeAll(async () => {
    server = await BarographServer.start('sdks');
    forgetful = await BarographServer.start('sdks', WITHOUT_DEDUPLICATION);
  });
  afterAll(async () => {
    await server?.remove();
    await forgetful?.remove();
  });

  test.each(Object.keys(SDKS))('has each answered call of %s once, with its tokens', async (name) => {
    const script: Scripted = {
      name,
      delays: [200, 2_000],
      // Ollama's ids repeat.
      idOf: (random) => (random(4) === 0 ? `chatcmpl-${random(3)}` : undefined),
    };
    const { stored, made } = await makeCalls(script, server, { calls: CALLS, observers: 1 });
    expect(stored).toEqual(made);
    expect(made.length).toBeGreaterThanOrEqual(CALLS);
    expect(made.filter((call) => call.startsWith(HELPER)).length).toBeGreaterThan(3);
  });

  test.each(Object.keys(SDKS))(
    'has a call of %s that two programs report once, but twice if it does not recognise repeated reports',
    async (name) => {
      // The ids of each session begin with the same number.
      const idOf: Scripted['idOf'] = (_, number) => `msg_${String(number).padStart(6, '0')}Qx7Lw2VnB0aKdTzR`;
      const script: Scripted = { name, delays: [0, 20], idOf };
      const work = { calls: 6, observers: 2 };
      const once = await makeCalls(script, server, work);
      expect(once.stored).toEqual(once.made);
      const { stored, made } = await makeCalls(script, forgetful, work);
      expect(stored).toEqual([...made, ...made].sort());
    },
  );
});
