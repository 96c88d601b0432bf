/** The real LangChain.js of each supported major version, with a scripted server. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chatUsage, chunks, completion, RecordingSession } from '../openai/testing/calls';
import { events, FakeModelServer, json } from '../openai/testing/fake-model-server';
import { createLangChainHandler, type LangChainHandler } from './langchain';
import { isInstalled, load, setsWith } from './testing/sdk-sets';

interface Message {
  content: unknown;
}
interface Runnable {
  invoke(input: string, options?: object): Promise<Message>;
  stream(input: string, options?: object): Promise<AsyncIterable<Message>>;
  batch(inputs: string[], options?: object): Promise<Message[]>;
  pipe(next: unknown): Runnable;
}
type Model = new (options: object) => Runnable;

const PROMPT = 'How full is it?';
const TURN = { model: 'gpt-test-1', scope: 'main', basis: 'total' };

describe.skipIf(!isInstalled()).each(setsWith('@langchain/core'))(
  'createLangChainHandler with the %s LangChain',
  (set) => {
    let server: FakeModelServer;
    let session: RecordingSession;
    let handler: LangChainHandler;
    let create: (options?: object) => Runnable;

    beforeAll(async () => {
      server = await FakeModelServer.start();
      const { ChatOpenAI } = await load<{ ChatOpenAI: Model }>(set, '@langchain/openai');
      const configuration = { baseURL: server.url, logLevel: 'off' };
      create = (options) =>
        new ChatOpenAI({ model: 'gpt-test-1', apiKey: 'none', maxRetries: 0, configuration, ...options });
    });
    beforeEach(() => {
      session = new RecordingSession();
      handler = createLangChainHandler({ session, limit: 10_000 });
    });
    afterAll(() => server.stop());

    test('counts a call, with the cached tokens apart from the input', async () => {
      const answer = completion(chatUsage(1_200, 300, 1_000));
      server.next(json(answer));
      const { content } = await create().invoke(PROMPT, { callbacks: [handler] });
      expect(content).toBe('Half full.');
      const usage = { inputTokens: 200, outputTokens: 300, cacheReadTokens: 1_000, cacheCreationTokens: 0 };
      expect(session.turns).toEqual([
        { ...TURN, call: answer.id, limit: 10_000, usage, contextTokens: 1_500 },
      ]);
      expect(handler.snapshot.pressure).toBe(0.15);
    });

    test('counts a streamed call in a chain once', async () => {
      server.next(events(chunks(chatUsage(90, 10))));
      const { RunnableLambda } = await load<{ RunnableLambda: { from(run: unknown): unknown } }>(
        set,
        '@langchain/core/runnables',
      );
      const chain = create().pipe(RunnableLambda.from((message: Message) => message));
      let text = '';
      for await (const { content } of await chain.stream(PROMPT, { callbacks: [handler] })) text += content;
      expect(text).toBe('Half full.');
      expect(session.turns).toMatchObject([{ ...TURN, contextTokens: 100 }]);
    });

    test('counts each call of a batch', async () => {
      server.next(json(completion(chatUsage(10, 1))), json(completion(chatUsage(10, 1))));
      await create().batch([PROMPT, 'And now?'], { callbacks: [handler] });
      expect(session.turns).toMatchObject([{ contextTokens: 11 }, { contextTokens: 11 }]);
    });

    test('counts a retried call once, and does not count an answer from the cache', async () => {
      const { InMemoryCache } = await load<{ InMemoryCache: new () => object }>(
        set,
        '@langchain/core/caches',
      );
      server.next(
        json({ error: { message: 'Later.' } }, 500, { 'retry-after-ms': '1' }),
        json(completion(chatUsage(20, 2))),
      );
      const model = create({ maxRetries: 1, cache: new InMemoryCache() });
      await model.invoke(PROMPT, { callbacks: [handler] });
      await model.invoke(PROMPT, { callbacks: [handler] });
      expect(session.turns).toMatchObject([{ contextTokens: 22 }]);
    });

    test('passes on the error of a refused call, and counts no turn', async () => {
      server.next(json({ error: { message: 'No.', type: 'x' } }, 400));
      await expect(create().invoke(PROMPT, { callbacks: [handler] })).rejects.toMatchObject({ status: 400 });
      expect(session.turns).toEqual([]);
    });

    test('counts a broken stream as a turn without usage', async () => {
      server.next(events(chunks(null), 'torn'));
      const read = async () => {
        for await (const _chunk of await create().stream(PROMPT, { callbacks: [handler] }));
      };
      await expect(read()).rejects.toThrow();
      expect(session.turns).toMatchObject([{ usage: null, model: 'gpt-test-1' }]);
    });
  },
);
