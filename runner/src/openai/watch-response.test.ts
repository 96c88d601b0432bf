import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { splitEvents, watchResponse } from './watch-response';

const EVENT = 'data: {"choices":[]}\n\n';

function countingResponse() {
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulls += 1;
        controller.enqueue(new TextEncoder().encode(EVENT));
      },
    },
    { highWaterMark: 0 },
  );
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  return { response, pulls: () => pulls };
}

test('of a body no more is read than its owner reads', async () => {
  const { response, pulls } = countingResponse();
  watchResponse(response, { see: () => true, end: () => undefined });
  const reader = response.body?.getReader();
  await setImmediate();
  expect(pulls()).toBe(0);
  await reader?.read();
  await setImmediate();
  expect(pulls()).toBe(1);
});

test('an event that is hidden costs another read, and the owner gets the next one', async () => {
  const { response, pulls } = countingResponse();
  let seen = 0;
  const see = () => {
    seen += 1;
    return seen !== 1;
  };
  watchResponse(response, { see, end: () => undefined });
  const result = await response.body?.getReader().read();
  expect(new TextDecoder().decode(result?.value)).toBe(EVENT);
  expect([seen, pulls()]).toEqual([2, 2]);
});

test('what is no response of this runtime passes untouched', () => {
  const other = { json: () => null };
  expect(watchResponse(other, { see: () => true, end: () => undefined })).toBe(other);
  const empty = new Response(null, { status: 204 });
  expect(watchResponse(empty, { see: () => true, end: () => undefined })).toBe(empty);
  expect(Object.hasOwn(empty, 'json')).toBe(false);
});

/** Runs bytes through the splitter in pieces of one size. Events with `hide` in them are hidden. */
function split(text: string, size: number): { seen: unknown[]; passed: string } {
  const seen: unknown[] = [];
  const see = (value: unknown) => {
    seen.push(value);
    return !JSON.stringify(value).includes('hide');
  };
  const splitter = splitEvents({ see, end: () => undefined });
  const bytes = Buffer.from(text);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(splitter.take(bytes.subarray(at, at + size)));
  parts.push(splitter.end());
  return { seen, passed: Buffer.concat(parts).toString('utf8') };
}

const SIZES = [1, 2, 3, 7, 1_000];

test.each(['\n', '\r\n', '\r'])('events are split at empty lines whose line end is %j', (end) => {
  const event = (data: string) => `event: x${end}data: ${data}${end}${end}`;
  const [first, hidden, last] = ['{"a":"½"}', '{"hide":1}', '[DONE]'].map(event);
  for (const size of SIZES) {
    const { seen, passed } = split(`${first}${hidden}${last}`, size);
    expect(seen).toEqual([{ a: '½' }, { hide: 1 }]);
    expect(passed).toBe(`${first}${last}`);
  }
});

test('reads a last event without an empty line after it', () => {
  for (const size of SIZES) {
    expect(split('data: {"a":1}\n\ndata: {"b":2}\n', size)).toEqual({
      seen: [{ a: 1 }, { b: 2 }],
      passed: 'data: {"a":1}\n\ndata: {"b":2}\n',
    });
    expect(split('data: {"a":1}\n\ndata: {"hide":2}', size).passed).toBe('data: {"a":1}\n\n');
  }
});

test('data that goes over several lines is one value', () => {
  expect(split('data: {"a":\ndata:1}\n\n', 5).seen).toEqual([{ a: 1 }]);
});

test('comments, broken data and a byte order mark pass as they are', () => {
  const text = '\ufeff: keep-alive\n\ndata: {"broken"\n\ndata: 7\n\n';
  for (const size of SIZES) expect(split(text, size)).toEqual({ seen: [], passed: text });
});

test('keeps the lines of an event’s data apart: invalid JSON over two lines is not read', () => {
  expect(split('data: {"n":1\ndata: 2}\n\n', 1_000)).toEqual({
    seen: [],
    passed: 'data: {"n":1\ndata: 2}\n\n',
  });
  expect(split('data: {"n":\ndata: 2}\n\n', 1_000).seen).toEqual([{ n: 2 }]);
});
