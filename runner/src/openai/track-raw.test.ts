import { expect, test } from 'vitest';
import { chatUsage, chunks, completion, createGate } from './testing/calls';
import { events, eventText, json } from './testing/fake-model-server';
import { request, server, session, streamed, tracked, trackTestClient } from './testing/tracked-client';

trackTestClient();

test('a raw response that its owner reads is captured', async () => {
  const answer = completion(chatUsage(9, 1));
  server.next(json(answer));
  const raw = await tracked.chat.completions.create(request).asResponse();
  expect(raw).toBeInstanceOf(Response);
  expect(raw.url).toBe(`${server.url}/chat/completions`);
  expect(raw.bodyUsed).toBe(false);
  expect(session.turns).toEqual([]);
  expect(await raw.json()).toEqual(answer);
  expect(raw.bodyUsed).toBe(true);
  expect(session.turns).toMatchObject([{ call: answer.id, contextTokens: 10 }]);
});

test('counts no turn for a raw response with only its headers read, and leaves the body unread', async () => {
  server.next(json(completion(chatUsage(9, 1)), 200, { 'x-ratelimit-remaining-tokens': '7' }));
  const raw = await tracked.chat.completions.create(request).asResponse();
  expect(raw.headers.get('x-ratelimit-remaining-tokens')).toBe('7');
  expect(session.turns).toEqual([]);
});

test('a raw response and the parsed answer of one call are one turn', async () => {
  server.next(json(completion(chatUsage(9, 1))));
  const promise = tracked.chat.completions.create(request);
  expect((await promise.asResponse()).status).toBe(200);
  expect((await promise).choices).toHaveLength(1);
  expect(session.turns).toHaveLength(1);
});

test('a raw stream is handed on without the event that its owner did not ask for', async () => {
  const list = chunks(chatUsage(9, 1));
  server.next(events(list));
  const raw = await tracked.chat.completions.create(streamed).asResponse();
  const handedOn = new Response(raw.body, { headers: raw.headers });
  const text = await handedOn.text();
  expect(text).toBe(`${list.slice(0, 3).map(eventText).join('')}data: [DONE]\n\n`);
  expect(session.turns).toMatchObject([{ contextTokens: 10 }]);
});

test('a raw stream keeps every byte where its owner asked for usage, in pieces of any size', async () => {
  const choices = [{ index: 0, delta: { content: 'Füllstand: ½ 🌡️' }, finish_reason: null }];
  const list = [...chunks(null, { choices }), ...chunks(chatUsage(9, 1))];
  const sent = Buffer.from(`: ping\r\n\r\n${list.map(eventText).join('')}data: [DONE]\n\n`);
  server.next((reply) => {
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let at = 0; at < sent.length; at += 7) reply.write(sent.subarray(at, at + 7));
    reply.end();
  });
  const body = { ...streamed, stream_options: { include_usage: true } };
  const raw = await tracked.chat.completions.create(body).asResponse();
  expect(Buffer.from(await raw.arrayBuffer()).equals(sent)).toBe(true);
  expect(session.turns).toMatchObject([{ contextTokens: 10 }]);
});

test('a raw stream that is cancelled cancels the call, which counts as one without usage', async () => {
  const left = createGate();
  server.next((reply) => {
    reply.on('close', left.open);
    return events(chunks(null), 'open')(reply);
  });
  const raw = await tracked.chat.completions.create(streamed).asResponse();
  const reader = raw.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await left.opened;
  expect(session.turns).toMatchObject([{ usage: null, basis: 'estimate' }]);
});

test('passes on a raw body that is not JSON unchanged', async () => {
  server.next((reply) => {
    reply.writeHead(200, { 'content-type': 'text/plain' });
    reply.end('not JSON');
  });
  const raw = await tracked.chat.completions.create(request).asResponse();
  expect(await raw.text()).toBe('not JSON');
  expect(session.turns).toEqual([]);
});
