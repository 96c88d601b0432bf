import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchResponse } from './watch-response';

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

/** Reads a response that arrives in pieces of one size. Events with `hide` in them are hidden. */
async function split(text: string, size: number): Promise<{ seen: unknown[]; passed: string }> {
  const seen: unknown[] = [];
  const see = (value: unknown) => {
    seen.push(value);
    return !JSON.stringify(value).includes('hide');
  };
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
      controller.close();
    },
  });
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  watchResponse(response, { see, end: () => undefined });
  return { passed: Buffer.from(await response.arrayBuffer()).toString('utf8'), seen };
}

const SIZES = [1, 3, 1_000];

test.each(['\n', '\r\n', '\r'])('events are split at empty lines whose line end is %j', async (end) => {
  const event = (data: string) => `event: x${end}data: ${data}${end}${end}`;
  const [first, hidden, last] = ['{"a":"½"}', '{"hide":1}', '[DONE]'].map(event);
  for (const size of SIZES) {
    const { seen, passed } = await split(`${first}${hidden}${last}`, size);
    expect(seen).toEqual([{ a: '½' }, { hide: 1 }]);
    expect(passed).toBe(`${first}${last}`);
  }
});

test.each([
  ['a last event without an empty line', 'data: {"a":1}\n\ndata: {"b":2}\n', [{ a: 1 }, { b: 2 }]],
  ['data over several lines', 'data: {"a":\ndata:1}\n\n', [{ a: 1 }]],
  ['invalid JSON over two lines', 'data: {"n":1\ndata: 2}\n\n', []],
  ['comments, broken data, a byte order mark', '\ufeff: hello\n\ndata: {"broken"\n\ndata: 7\n\n', []],
])('reads and passes on %s unchanged', async (_, text, expected) => {
  for (const size of SIZES) expect(await split(text, size)).toEqual({ seen: expected, passed: text });
});
