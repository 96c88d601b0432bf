/** The real `openai` package in versions 4, 5 and 7. The tests in runner/src/openai use version 6. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  chatUsage,
  chunks,
  completion,
  RecordingSession,
  response,
  responseEvents,
  responsesUsage,
} from '../openai/testing/calls';
import { events, FakeModelServer, json } from '../openai/testing/fake-model-server';
import type { TrackedClient } from '../openai/track-client';
import { trackOpenAI } from '../openai/track-openai';
import { isInstalled, load, setsWith } from './testing/sdk-sets';

interface Completions {
  create(body: object, options?: object): Promise<AsyncIterable<object>>;
  parse(body: object): Promise<object>;
  stream(body: object): { done(): Promise<void> };
}
interface Responses {
  create(body: object): Promise<AsyncIterable<object>>;
  stream(body: object): { finalResponse(): Promise<object> };
}
interface Client {
  chat: { completions: Completions };
  beta: { chat?: { completions: Completions } };
  responses: Responses;
}
type Sdk = { default: new (options: object) => Client };

const CHAT = { model: 'gpt-test-1', messages: [{ role: 'user', content: 'Hi' }] };
const RESPONSE = { model: 'gpt-test-1', input: 'Hi' };
const TURN = { contextTokens: 15, usage: { inputTokens: 10, outputTokens: 5 }, basis: 'total' };

describe.skipIf(!isInstalled()).each(setsWith('openai'))('trackOpenAI with the %s openai package', (set) => {
  let sdk: Sdk;
  let server: FakeModelServer;
  let client: Client;
  let session: RecordingSession;
  let tracked: TrackedClient<Client>;

  beforeAll(async () => {
    sdk = await load<Sdk>(set, 'openai');
    server = await FakeModelServer.start();
    client = new sdk.default({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
  });
  beforeEach(() => {
    session = new RecordingSession();
    tracked = trackOpenAI(client, { session });
  });
  afterAll(() => server.stop());

  test('counts Chat Completions, streamed or not, and keeps the class of the stream', async () => {
    server.next(json(completion(chatUsage(10, 5))), ...Array(2).fill(events(chunks(chatUsage(10, 5)))));
    await tracked.chat.completions.create(CHAT);
    const plain = await client.chat.completions.create({ ...CHAT, stream: true });
    const stream = await tracked.chat.completions.create({ ...CHAT, stream: true });
    expect(Object.getPrototypeOf(stream)).toBe(Object.getPrototypeOf(plain));
    for await (const _chunk of stream);
    expect(session.turns).toMatchObject([TURN, TURN]);
  });

  test('counts the helpers of Chat Completions once each, also on the beta path', async () => {
    const completions = tracked.beta.chat?.completions ?? tracked.chat.completions;
    server.next(json(completion(chatUsage(10, 5))), events(chunks(chatUsage(10, 5))));
    await completions.parse(CHAT);
    await completions.stream(CHAT).done();
    expect(session.turns).toMatchObject([TURN, TURN]);
  });

  test('counts Responses, streamed or not, and their helper', async () => {
    const answer = () => response(responsesUsage(10, 5));
    server.next(json(answer()), events(responseEvents(answer())), events(responseEvents(answer())));
    await tracked.responses.create(RESPONSE);
    for await (const _event of await tracked.responses.create({ ...RESPONSE, stream: true }));
    await tracked.responses.stream(RESPONSE).finalResponse();
    expect(session.turns).toMatchObject([TURN, TURN, TURN]);
  });

  test('counts a retried call once', async () => {
    const refusal = { error: { message: 'Later.' } };
    server.next(json(refusal, 429, { 'retry-after-ms': '1' }), json(completion(chatUsage(10, 5))));
    await tracked.chat.completions.create(CHAT, { maxRetries: 1 });
    expect(session.turns).toMatchObject([TURN]);
  });
});
