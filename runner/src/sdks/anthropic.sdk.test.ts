/** The real `@anthropic-ai/sdk` of each supported major version, with a scripted server. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGate, RecordingSession } from '../openai/testing/calls';
import { events, FakeModelServer, json } from '../openai/testing/fake-model-server';
import type { TrackedClient } from '../openai/track-client';
import { message, messageEvents } from './testing/messages';
import { isInstalled, load, setsWith } from './testing/sdk-sets';
import { trackAnthropic } from './track-anthropic';

interface Events extends AsyncIterable<{ type: string }> {
  controller: AbortController;
  tee(): [AsyncIterable<unknown>, AsyncIterable<unknown>];
}
interface Answer {
  id: string;
  content: { text?: string }[];
}
interface Messages {
  create(
    body: object,
    options?: object,
  ): Promise<Answer & Events> & {
    withResponse(): Promise<{ data: Answer; response: Response }>;
    asResponse(): Promise<Response>;
  };
  stream(body: object): AsyncIterable<unknown> & { finalMessage(): Promise<Answer> };
  countTokens(body: object): Promise<{ input_tokens: number }>;
  toolRunner?(body: object): PromiseLike<Answer>;
}
interface Client {
  messages: Messages;
  beta: { messages: Messages };
  withOptions?(options: object): Client;
}
interface Sdk {
  default: (new (options: object) => Client) & { APIError: new () => Error };
}

const REQUEST = {
  model: 'claude-test-1',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'How full?' }],
};
const STREAMED = { ...REQUEST, stream: true };
const USAGE = { inputTokens: 40, outputTokens: 25, cacheReadTokens: 900, cacheCreationTokens: 60 };
const TURN = { model: 'claude-test-1', scope: 'main', usage: USAGE, contextTokens: 1_025, basis: 'total' };
const TOOL_USE = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };

describe.skipIf(!isInstalled()).each(setsWith('@anthropic-ai/sdk'))(
  'trackAnthropic with the %s SDK',
  (set) => {
    let sdk: Sdk;
    let server: FakeModelServer;
    let client: Client;
    let session: RecordingSession;
    let tracked: TrackedClient<Client>;

    beforeAll(async () => {
      sdk = await load<Sdk>(set, '@anthropic-ai/sdk');
      server = await FakeModelServer.start();
      const baseURL = server.url.replace('/v1', '');
      client = new sdk.default({ baseURL, apiKey: 'none', maxRetries: 0 });
    });
    beforeEach(() => {
      session = new RecordingSession();
      tracked = trackAnthropic(client, { session, limit: 10_000 });
    });
    afterAll(() => server.stop());

    test('counts a message with its cached tokens, and passes the request and the answer unchanged', async () => {
      const answer = message(USAGE);
      server.next(json(answer), json(answer));
      const plain = await client.messages.create(REQUEST);
      const sent = server.lastBody();
      expect(await tracked.messages.create(REQUEST)).toEqual(plain);
      expect(server.lastBody()).toEqual(sent);
      expect(tracked).toBeInstanceOf(sdk.default);
      expect(tracked.snapshot.pressure).toBe(0.1025);
      expect(session.turns).toEqual([{ ...TURN, call: answer.id, limit: 10_000 }]);
      expect(session.lenses).toEqual([['snapshot', 0]]);
    });

    test('keeps withResponse and asResponse, and counts only calls with withResponse', async () => {
      server.next(json(message(USAGE)), json(message(USAGE)));
      const { data, response } = await tracked.messages.create(REQUEST).withResponse();
      expect([data.content[0]?.text, response.status]).toEqual(['Half full.', 200]);
      expect((await tracked.messages.create(REQUEST).asResponse()).status).toBe(200);
      expect(session.turns).toHaveLength(1);
    });

    test('counts a stream once with its final counts, and keeps the class of the stream', async () => {
      server.next(events(messageEvents(USAGE)), events(messageEvents(USAGE)));
      const plain = await client.messages.create(STREAMED);
      const stream = await tracked.messages.create(STREAMED);
      expect(Object.getPrototypeOf(stream)).toBe(Object.getPrototypeOf(plain));
      const types: string[][] = [[], []];
      for await (const { type } of plain) types[0]?.push(type);
      for await (const { type } of stream) types[1]?.push(type);
      expect(types[1]).toEqual(types[0]);
      expect(session.turns).toMatchObject([TURN]);
    });

    test('counts the calls of the helpers and of the beta path once each', async () => {
      server.next(
        events(messageEvents(USAGE)),
        json(message(USAGE)),
        events(messageEvents(USAGE)),
        json(message(USAGE)),
      );
      const final = await tracked.messages.stream(REQUEST).finalMessage();
      expect(final.content[0]?.text).toBe('Half full.');
      await tracked.beta.messages.create(REQUEST);
      await tracked.beta.messages.stream(REQUEST).finalMessage();
      await (tracked.withOptions?.({ timeout: 5_000 }) ?? tracked).messages.create(REQUEST);
      expect(session.turns).toMatchObject([TURN, TURN, TURN, TURN]);
    });

    test('counts each call of a tool runner', async ({ skip }) => {
      if (tracked.beta.messages.toolRunner === undefined) return skip('This version has no tool runner.');
      server.next(
        json(message(USAGE, { content: [TOOL_USE], stop_reason: 'tool_use' })),
        json(message({ ...USAGE, inputTokens: 90 })),
      );
      const run = async () => 'seen';
      const tool = {
        name: 'look',
        description: 'd',
        input_schema: { type: 'object' },
        run,
        parse: (v: unknown) => v,
      };
      const final = await tracked.beta.messages.toolRunner({ ...REQUEST, tools: [tool] });
      expect(final.content[0]?.text).toBe('Half full.');
      expect(session.turns).toMatchObject([TURN, { contextTokens: 1_075 }]);
    });

    test('counts a retried call once, and passes on the error of a refused call', async () => {
      const refusal = { type: 'error', error: { type: 'overloaded_error', message: 'Later.' } };
      server.next(json(refusal, 529, { 'retry-after-ms': '1' }), json(message(USAGE)), json(refusal, 529));
      await tracked.messages.create(REQUEST, { maxRetries: 1 });
      const failure: unknown = await tracked.messages.create(REQUEST).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(sdk.default.APIError);
      expect(failure).toMatchObject({ status: 529 });
      expect(session.turns).toMatchObject([TURN]);
    });

    test('counts an aborted stream with the usage that it reported', async () => {
      const left = createGate();
      server.next((response) => {
        response.on('close', left.open);
        return events(messageEvents(USAGE).slice(0, 4), 'open')(response);
      });
      const stream = await tracked.messages.create(STREAMED);
      for await (const { type } of stream) if (type === 'content_block_delta') stream.controller.abort();
      await left.opened;
      const usage = { ...USAGE, outputTokens: 1 };
      expect(session.turns).toMatchObject([{ usage, contextTokens: 1_000, basis: 'input' }]);
    });

    test('does not report a request that only counts tokens', async () => {
      server.next(json({ input_tokens: 12 }));
      expect(await tracked.messages.countTokens(REQUEST)).toMatchObject({ input_tokens: 12 });
      expect(session.turns).toEqual([]);
    });

    test('takes the size from the last sampling, and adds the tokens of a compaction', async () => {
      const step = {
        input_tokens: 100,
        output_tokens: 10,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      };
      const iterations = [
        { ...step, type: 'compaction', input_tokens: 5_000, output_tokens: 700 },
        { ...step, type: 'message' },
        { ...step, type: 'message', input_tokens: 130, output_tokens: 15 },
      ];
      const answer = message({
        inputTokens: 230,
        outputTokens: 25,
        cacheReadTokens: 0,
        cacheCreationTokens: 0,
      });
      server.next(json({ ...answer, usage: { ...answer.usage, iterations } }));
      await tracked.beta.messages.create(REQUEST);
      expect(session.turns).toMatchObject([
        { usage: { inputTokens: 5_230, outputTokens: 725 }, contextTokens: 145 },
      ]);
    });

    test('never lets a failed report reach the program', async () => {
      const turn = () => {
        throw new Error('The disk is full.');
      };
      server.next(json(message(USAGE)));
      const answer = await trackAnthropic(client, { session: { turn } }).messages.create(REQUEST);
      expect(answer.content[0]?.text).toBe('Half full.');
    });
  },
);
