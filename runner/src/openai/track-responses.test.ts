import { expect, test } from 'vitest';
import { MODEL, response, responseEvents, responsesUsage } from './testing/calls';
import { events, json } from './testing/fake-model-server';
import { server, session, tracked, trackTestClient } from './testing/tracked-client';

trackTestClient();

const request = { model: MODEL, input: 'How full is it?' };
const streamed = { ...request, stream: true as const };

test('captures the usage of a response and passes the response on unchanged', async () => {
  const whole = response(responsesUsage(900, 100, 600));
  server.next(json(whole));
  const answer = await tracked.responses.create(request);
  expect(answer.output_text).toBe('Half full.');
  expect(tracked.snapshot.contextTokens).toBe(1_000);
  expect(session.turns).toEqual([
    {
      call: whole.id,
      model: MODEL,
      scope: 'main',
      usage: { inputTokens: 300, outputTokens: 100, cacheReadTokens: 600, cacheCreationTokens: 0 },
      contextTokens: 1_000,
      basis: 'total',
    },
  ]);
});

test('updates the snapshot before the loop gets the last event of a stream', async () => {
  const whole = response(responsesUsage(90, 10));
  server.next(events(responseEvents(whole)));
  const types: string[] = [];
  let atTheEnd: number | null = null;
  for await (const event of await tracked.responses.create(streamed)) {
    types.push(event.type);
    if (event.type === 'response.completed') atTheEnd = tracked.snapshot.contextTokens;
  }
  expect(types.at(-1)).toBe('response.completed');
  expect(types).toHaveLength(6);
  expect(atTheEnd).toBe(100);
  expect(session.turns).toMatchObject([{ call: whole.id, contextTokens: 100 }]);
  expect(server.lastBody()).toEqual(streamed);
});

test('counts no turn for a response that failed without content', async () => {
  const failed = response(null, {
    status: 'failed',
    output: [],
    error: { code: 'server_error', message: 'x' },
  });
  server.next(json(failed));
  await tracked.responses.create(request);
  expect(session.turns).toEqual([]);
});

test('captures the stream helper, which returns its final response', async () => {
  const whole = response(responsesUsage(90, 10));
  server.next(events(responseEvents(whole)));
  const final = await tracked.responses.stream(request).finalResponse();
  expect(final.output_text).toBe('Half full.');
  expect(session.turns).toMatchObject([{ call: whole.id, contextTokens: 100 }]);
});

test('counts a background response once, when it is retrieved complete', async () => {
  const queued = response(null, { status: 'queued', output: [], background: true });
  const done = { ...queued, ...response(responsesUsage(90, 10)), id: queued.id };
  server.next(json(queued), json({ ...queued, status: 'in_progress' }), json(done), json(done));
  const { id } = await tracked.responses.create({ ...request, background: true });
  expect((await tracked.responses.retrieve(id)).status).toBe('in_progress');
  expect(session.turns).toEqual([]);
  expect(tracked.snapshot.contextTokens).toBeNull();
  expect((await tracked.responses.retrieve(id)).output_text).toBe('Half full.');
  await tracked.responses.retrieve(id);
  expect(session.turns).toMatchObject([
    { call: id, usage: { inputTokens: 90 }, contextTokens: 100, basis: 'total' },
  ]);
});

test('counts an interrupted background stream when its rest is streamed', async () => {
  const whole = response(responsesUsage(90, 10), { background: true });
  const list = responseEvents(whole);
  server.next(events(list, 'open'), events(list.slice(2)));
  for await (const _event of await tracked.responses.create({ ...streamed, background: true })) break;
  expect(session.turns).toEqual([]);
  const rest = await tracked.responses.retrieve(whole.id, { stream: true, starting_after: 1 });
  for await (const _event of rest);
  expect(server.requests.at(-1)?.path).toContain(`/responses/${whole.id}?stream=true`);
  expect(session.turns).toMatchObject([{ call: whole.id, contextTokens: 100 }]);
});

test('counts a cancelled background response as a turn without usage', async () => {
  const queued = response(null, { status: 'queued', output: [], background: true });
  server.next(json(queued), json({ ...queued, status: 'cancelled' }));
  const { id } = await tracked.responses.create({ ...request, background: true });
  await tracked.responses.cancel(id);
  expect(session.turns).toMatchObject([{ call: id, usage: null }]);
});

test('replaces an estimate by a real reading of the same call', async () => {
  const whole = response(responsesUsage(90, 10));
  server.next(events(responseEvents(whole), 'open'), json(whole));
  let count = 0;
  for await (const _event of await tracked.responses.create(streamed)) {
    count += 1;
    if (count === 4) break;
  }
  // 5 tokens sent and 2 answered.
  expect(tracked.snapshot).toMatchObject({ contextTokens: 7, basis: 'estimate' });
  await tracked.responses.retrieve(whole.id);
  expect(tracked.snapshot).toMatchObject({ contextTokens: 100, basis: 'total' });
  expect(session.turns).toMatchObject([
    { call: whole.id, usage: null, contextTokens: 7, basis: 'estimate' },
    { call: whole.id, usage: { inputTokens: 90, outputTokens: 10 }, contextTokens: 100, basis: 'total' },
  ]);
});

test('ignores a late reading after the start of a new context', async () => {
  const early = response(responsesUsage(90, 10));
  server.next(events(responseEvents(early), 'open'), json(early));
  for await (const _event of await tracked.responses.create(streamed)) break;
  tracked.snapshot.startContext();
  await tracked.responses.retrieve(early.id);
  expect(tracked.snapshot.contextTokens).toBeNull();
});

test('counts the compaction’s own call as a side call', async () => {
  const compacted = {
    id: 'resp_compacted_0a1b2c3d',
    object: 'response.compaction',
    created_at: 1,
    output: [],
  };
  server.next(
    json(response(responsesUsage(900, 100))),
    json({ ...compacted, usage: responsesUsage(1_000, 80) }),
  );
  await tracked.responses.create(request);
  await tracked.responses.compact({ model: 'gpt-5.1', input: 'all of it' });
  expect(session.turns[1]).toEqual({
    call: compacted.id,
    model: 'gpt-5.1',
    scope: 'side',
    usage: { inputTokens: 1_000, outputTokens: 80, cacheReadTokens: 0, cacheCreationTokens: 0 },
  });
  expect(tracked.snapshot.contextTokens).toBe(1_000);
});

test('estimates a response without usage from input and answer, streamed or not', async () => {
  const whole = response(null);
  server.next(json(whole), events(responseEvents(response(null))));
  await tracked.responses.create(request);
  for await (const _event of await tracked.responses.create(streamed));
  const estimated = { usage: null, contextTokens: 8, basis: 'estimate' };
  expect(session.turns).toMatchObject([estimated, estimated]);
});

test.each(['previous_response_id', 'conversation', 'prompt'])(
  'estimates no size with %s, because the provider has the history',
  async (name) => {
    server.next(json(response(null)));
    await tracked.responses.create({ ...request, [name]: 'elsewhere' });
    expect(session.turns).toMatchObject([{ usage: null }]);
    expect(session.turns[0]).not.toHaveProperty('contextTokens');
    expect(tracked.snapshot.contextTokens).toBeNull();
  },
);
