import OpenAI, { AzureOpenAI } from 'openai';
import { describe, expect, test } from 'vitest';
import { chatUsage, chunks, completion, MODEL, RecordingLogger, RecordingSession } from './testing/calls';
import { events, json } from './testing/fake-model-server';
import { client, request, server, session, tracked, trackTestClient } from './testing/tracked-client';
import { trackOpenAI } from './track-openai';

trackTestClient();

describe('the scope of a call', () => {
  test('reports a call of the side view without changing the snapshot', async () => {
    server.next(json(completion(chatUsage(900, 100))), json(completion(chatUsage(30, 1))));
    await tracked.chat.completions.create(request);
    await tracked.side.chat.completions.create(request);
    expect(tracked.snapshot.contextTokens).toBe(1_000);
    expect(session.turns[1]).toMatchObject({ scope: 'side', usage: { inputTokens: 30, outputTokens: 1 } });
    expect(session.turns[1]).not.toHaveProperty('contextTokens');
  });

  test('declares the snapshot lens before the first call of the main chain, once', async () => {
    const agent = trackOpenAI(client, { session, chain: 'agent-1' });
    server.next(...[1, 2, 3].map(() => json(completion(chatUsage(900, 100)))));
    await agent.chat.completions.create(request);
    expect(session.lenses).toEqual([]);
    await tracked.side.chat.completions.create(request);
    await tracked.chat.completions.create(request);
    expect(session.lenses).toEqual([['snapshot', 1]]);
  });

  test('estimates no size for a side call without usage', async () => {
    server.next(json(completion(undefined)));
    await tracked.side.chat.completions.create(request);
    expect(session.turns).toMatchObject([{ scope: 'side', usage: null }]);
    expect(session.turns[0]).not.toHaveProperty('basis');
    expect(tracked.snapshot.contextTokens).toBeNull();
  });

  test('takes the scope of a call from a function of the request', async () => {
    const isMain = (body: Readonly<Record<string, unknown>>) => body.max_completion_tokens !== 1;
    const view = trackOpenAI(client, { session, scope: ({ body }) => (isMain(body) ? 'main' : 'side') });
    server.next(json(completion(chatUsage(900, 100))), json(completion(chatUsage(30, 1))));
    await view.chat.completions.create(request);
    await view.chat.completions.create({ ...request, max_completion_tokens: 1 });
    expect(session.turns.map(({ scope }) => scope)).toEqual(['main', 'side']);
    expect(view.snapshot.contextTokens).toBe(1_000);
  });

  test('counts a call as main and logs a warning if that function throws', async () => {
    const logger = new RecordingLogger();
    const scope = () => {
      throw new Error('no idea');
    };
    const view = trackOpenAI(client, { session, scope, logger });
    server.next(json(completion(chatUsage(9, 1))));
    await view.chat.completions.create(request);
    expect(session.turns).toMatchObject([{ scope: 'main' }]);
    expect(logger.lines).toEqual(['warn: the scope of a call could not be read']);
  });

  test('reports calls of a sub-agent on their own chain', async () => {
    const researcher = trackOpenAI(client, { session, chain: 'researcher' });
    server.next(json(completion(chatUsage(900, 100))), json(completion(chatUsage(20, 5))));
    await tracked.chat.completions.create(request);
    await researcher.chat.completions.create(request);
    expect(session.turns.map(({ chain }) => chain)).toEqual([undefined, 'researcher']);
    expect([tracked.snapshot.contextTokens, researcher.snapshot.contextTokens]).toEqual([1_000, 25]);
  });
});

describe('the same client', () => {
  test('keeps its class, address and resources when tracked, and stays unchanged itself', async () => {
    expect(tracked).toBeInstanceOf(OpenAI);
    expect(tracked.baseURL).toBe(client.baseURL);
    expect(tracked.constructor).toBe(client.constructor);
    expect(tracked.chat.completions.constructor).toBe(client.chat.completions.constructor);
    expect(tracked.models).toBe(client.models);
    server.next(json(completion(chatUsage(9, 1))));
    await client.chat.completions.create(request);
    expect(session.turns).toEqual([]);
  });

  test('serves two sessions with separate snapshots', async () => {
    const other = trackOpenAI(client);
    server.next(json(completion(chatUsage(900, 100))), json(completion(chatUsage(20, 5))));
    await tracked.chat.completions.create(request);
    await other.chat.completions.create(request);
    expect([tracked.snapshot.contextTokens, other.snapshot.contextTokens]).toEqual([1_000, 25]);
    expect(session.turns).toHaveLength(1);
  });

  test('captures the copy that withOptions returns', async () => {
    server.next(json(completion(chatUsage(9, 1))));
    const quick = tracked.withOptions({ timeout: 1_000 });
    expect(quick.timeout).toBe(1_000);
    await quick.chat.completions.create(request);
    expect(session.turns).toHaveLength(1);
  });

  test('captures Azure’s client', async () => {
    const azure = new AzureOpenAI({
      baseURL: server.url,
      apiKey: 'none',
      apiVersion: '2024-10-21',
      maxRetries: 0,
    });
    server.next(json(completion(chatUsage(9, 1))));
    await trackOpenAI(azure, { session }).chat.completions.create(request);
    expect(session.turns).toMatchObject([{ contextTokens: 10 }]);
  });

  test('reports to both sessions if tracked twice', async () => {
    const outer = new RecordingSession();
    server.next(events(chunks(chatUsage(9, 1))));
    const twice = trackOpenAI(tracked, { session: outer });
    let count = 0;
    for await (const _chunk of await twice.chat.completions.create({ ...request, stream: true })) count += 1;
    expect(count).toBe(3);
    expect([session.turns.length, outer.turns.length]).toEqual([1, 1]);
    expect(twice.snapshot).not.toBe(tracked.snapshot);
  });
});

describe('the package’s own helpers', () => {
  test('captures stream and passes its events on unchanged', async () => {
    server.next(events(chunks(chatUsage(9, 1))));
    const stream = tracked.chat.completions.stream(request);
    const texts: string[] = [];
    stream.on('content', (delta) => texts.push(delta));
    expect(await stream.finalContent()).toBe('Half full.');
    expect(texts).toEqual(['Half ', 'full.']);
    expect(session.turns).toMatchObject([{ contextTokens: 10 }]);
  });

  test('counts each call of runTools as a turn', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const asking = completion(chatUsage(40, 5), {
      choices: [{ index: 0, finish_reason: 'tool_calls', message }],
    });
    server.next(json(asking), json(completion(chatUsage(60, 5))));
    const look = { name: 'look', description: '', parameters: {}, function: () => 'half' };
    const runner = tracked.chat.completions.runTools({
      ...request,
      tools: [{ type: 'function', function: look }],
    });
    expect(await runner.finalContent()).toBe('Half full.');
    expect(session.turns.map(({ contextTokens }) => contextTokens)).toEqual([45, 65]);
    expect(tracked.snapshot.contextTokens).toBe(65);
  });

  test('captures withResponse, which returns data and response', async () => {
    server.next(json(completion(chatUsage(9, 1))), events(chunks(chatUsage(19, 1))));
    const whole = await tracked.chat.completions.create(request).withResponse();
    expect(whole.data.choices).toHaveLength(1);
    expect(whole.response.status).toBe(200);
    expect(whole.request_id).toBe('req_1');
    const streamed = await tracked.chat.completions.create({ ...request, stream: true }).withResponse();
    for await (const _chunk of streamed.data);
    expect(session.turns.map(({ contextTokens }) => contextTokens)).toEqual([10, 20]);
  });

  test('passes on a raw response, which does not count', async () => {
    server.next(json(completion(chatUsage(9, 1))));
    const raw = await tracked.chat.completions.create(request).asResponse();
    expect(await raw.json()).toMatchObject({ model: MODEL });
    expect(session.turns).toEqual([]);
  });

  test('counts a promise once if it is awaited twice', async () => {
    server.next(json(completion(chatUsage(9, 1))));
    const promise = tracked.chat.completions.create(request);
    expect(await promise).toBe(await promise);
    expect((await promise)._request_id).toBe('req_1');
    expect(session.turns).toHaveLength(1);
  });
});

describe('reporting never disturbs the agent', () => {
  test('logs one line for a session that throws', async () => {
    const logger = new RecordingLogger();
    const turn = () => {
      throw new Error('disk full');
    };
    const view = trackOpenAI(client, { session: { turn }, logger });
    server.next(json(completion(chatUsage(9, 1))));
    expect((await view.chat.completions.create(request)).choices).toHaveLength(1);
    expect(view.snapshot.contextTokens).toBe(10);
    expect(logger.lines).toEqual(['warn: a turn could not be handed over']);
  });

  test('leaves no unhandled rejection if a session rejects', async () => {
    const logger = new RecordingLogger();
    const view = trackOpenAI(client, { session: { turn: () => Promise.reject(new Error('late')) }, logger });
    server.next(json(completion(chatUsage(9, 1))));
    await view.chat.completions.create(request);
    await expect.poll(() => logger.lines).toEqual(['warn: a turn could not be handed over']);
  });

  test('counts unreadable usage as missing, and logs it', async () => {
    const logger = new RecordingLogger();
    const view = trackOpenAI(client, { session, logger });
    const answer = completion({ prompt_tokens: 9.5, completion_tokens: 1, total_tokens: 10.5 });
    server.next(json(answer));
    await view.chat.completions.create(request);
    expect(session.turns).toMatchObject([{ call: answer.id, usage: null, basis: 'estimate' }]);
    expect(logger.lines).toContain('warn: a response could not be read');
  });

  test('lets an invalid request fail in the same way as without tracking', async () => {
    server.next(json({ error: { message: 'you must provide a model' } }, 400));
    const nothing = {} as OpenAI.ChatCompletionCreateParamsNonStreaming;
    await expect(tracked.chat.completions.create(nothing)).rejects.toMatchObject({ status: 400 });
    expect(session.turns).toEqual([]);
  });
});
