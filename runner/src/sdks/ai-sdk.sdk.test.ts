/** The real AI SDK of each supported major version, with its providers and a scripted server. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  chunks,
  completion,
  createGate,
  RecordingSession,
  response,
  responsesUsage,
} from '../openai/testing/calls';
import { events, FakeModelServer, json } from '../openai/testing/fake-model-server';
import { createAiSdkMiddleware } from './ai-sdk';
import { message, messageEvents } from './testing/messages';
import { isInstalled, load, setsWith } from './testing/sdk-sets';

type Options = Record<string, unknown>;
interface Ai {
  wrapLanguageModel(options: Options): object;
  generateText(options: Options): Promise<{ text: string }>;
  streamText(options: Options): { textStream: AsyncIterable<string> };
  tool(options: Options): object;
  stepCountIs?(count: number): unknown;
  isStepCount?(count: number): unknown;
}
interface Provider {
  (model: string): object;
  chat(model: string): object;
}
type Create = (options: Options) => Provider;

const PROMPT = { prompt: 'How full is it?', maxRetries: 0 };
const MESSAGE_USAGE = { inputTokens: 40, outputTokens: 25, cacheReadTokens: 900, cacheCreationTokens: 60 };

describe.skipIf(!isInstalled()).each(setsWith('ai'))('createAiSdkMiddleware with the %s AI SDK', (set) => {
  let ai: Ai;
  let openai: Provider;
  let anthropic: Provider;
  let server: FakeModelServer;
  let session: RecordingSession;
  let track: (model: object) => object;

  beforeAll(async () => {
    ai = await load<Ai>(set, 'ai');
    server = await FakeModelServer.start();
    const options = { baseURL: server.url, apiKey: 'none' };
    openai = (await load<{ createOpenAI: Create }>(set, '@ai-sdk/openai')).createOpenAI(options);
    anthropic = (await load<{ createAnthropic: Create }>(set, '@ai-sdk/anthropic')).createAnthropic(options);
  });
  beforeEach(() => {
    session = new RecordingSession();
    const middleware = createAiSdkMiddleware({ session });
    track = (model) => ai.wrapLanguageModel({ model, middleware });
  });
  afterAll(() => server.stop());

  test('counts a call of OpenAI, with the cached tokens apart from the input', async () => {
    const answer = response(responsesUsage(1_200, 300, 1_000));
    server.next(json(answer));
    const { text } = await ai.generateText({ ...PROMPT, model: track(openai('gpt-test-1')) });
    expect(text).toBe('Half full.');
    const usage = { inputTokens: 200, outputTokens: 300, cacheReadTokens: 1_000, cacheCreationTokens: 0 };
    const turn = { call: answer.id, model: 'gpt-test-1', scope: 'main', usage };
    expect(session.turns).toEqual([{ ...turn, contextTokens: 1_500, basis: 'total' }]);
    expect(session.lenses).toEqual([['snapshot', 0]]);
  });

  test('counts a call of Anthropic, with tokens read from and written to the cache', async () => {
    const answer = message(MESSAGE_USAGE);
    server.next(json(answer), events(messageEvents(MESSAGE_USAGE)));
    const model = track(anthropic('claude-test-1'));
    await ai.generateText({ ...PROMPT, model });
    let text = '';
    for await (const part of ai.streamText({ ...PROMPT, model }).textStream) text += part;
    expect(text).toBe('Half full.');
    const turn = { usage: MESSAGE_USAGE, contextTokens: 1_025, basis: 'total' };
    expect(session.turns).toMatchObject([{ ...turn, call: answer.id }, turn]);
  });

  test('counts each step of a run with tools, and a retried step once', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
    const asks = {
      index: 0,
      finish_reason: 'tool_calls',
      message: { role: 'assistant', tool_calls: [call] },
    };
    const usage = (prompt: number) => ({
      prompt_tokens: prompt,
      completion_tokens: 10,
      total_tokens: prompt + 10,
    });
    server.next(
      json({ error: { message: 'Later.' } }, 429, { 'retry-after-ms': '1' }),
      json(completion(usage(100), { choices: [asks] })),
      json(completion(usage(150))),
    );
    const zod = await load<{ z: { object(fields: object): object } }>(set, 'zod');
    const look = ai.tool({ inputSchema: zod.z.object({}), execute: async () => 'seen' });
    const stopWhen = (ai.stepCountIs ?? ai.isStepCount)?.(3);
    const model = track(openai.chat('gpt-test-1'));
    await ai.generateText({ ...PROMPT, maxRetries: 1, model, tools: { look }, stopWhen });
    expect(session.turns).toMatchObject([{ contextTokens: 110 }, { contextTokens: 160 }]);
  });

  test('passes on the error of a refused call, and counts no turn', async () => {
    server.next(json({ error: { message: 'No.', type: 'x' } }, 400));
    const run = ai.generateText({ ...PROMPT, model: track(openai('gpt-test-1')) });
    await expect(run).rejects.toMatchObject({ statusCode: 400 });
    expect(session.turns).toEqual([]);
  });

  test('counts an aborted stream as a turn without usage', async () => {
    const left = createGate();
    server.next((reply) => {
      reply.on('close', left.open);
      return events(chunks(null), 'open')(reply);
    });
    const controller = new AbortController();
    const stream = ai.streamText({
      ...PROMPT,
      model: track(openai.chat('gpt-test-1')),
      abortSignal: controller.signal,
      onError: () => undefined,
    });
    try {
      for await (const _text of stream.textStream) controller.abort();
    } catch {
      // Some versions end the stream, and others throw the abort.
    }
    await left.opened;
    expect(session.turns).toMatchObject([{ usage: null }]);
  });

  test('never lets a failed report reach the program', async () => {
    const turn = () => {
      throw new Error('The disk is full.');
    };
    server.next(json(response(responsesUsage(10, 5))));
    const middleware = createAiSdkMiddleware({ session: { turn } });
    const model = ai.wrapLanguageModel({ model: openai('gpt-test-1'), middleware });
    expect((await ai.generateText({ ...PROMPT, model })).text).toBe('Half full.');
  });
});
