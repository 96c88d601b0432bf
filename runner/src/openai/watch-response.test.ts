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

/** The watched response. `see` hides an event that it answers with false. */
function watch(response: unknown, see: (value: unknown) => boolean = () => true): Response {
  return watchResponse(response, { see, end: () => undefined }) as Response;
}

test('reads no more of a body than its owner reads', async () => {
  const { response, pulls } = countingResponse();
  const reader = watch(response).body?.getReader();
  await setImmediate();
  expect(pulls()).toBe(0);
  await reader?.read();
  await setImmediate();
  expect(pulls()).toBe(1);
});

test('reads on after a hidden event', async () => {
  const { response, pulls } = countingResponse();
  let seen = 0;
  const see = () => {
    seen += 1;
    return seen !== 1;
  };
  const result = await watch(response, see).body?.getReader().read();
  expect(new TextDecoder().decode(result?.value)).toBe(EVENT);
  expect([seen, pulls()]).toEqual([2, 2]);
});

test('passes on what is no response of this runtime, and a response without a body', () => {
  for (const other of [{ json: () => null }, new Response(null, { status: 204 })]) {
    expect(watch(other)).toBe(other);
  }
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
  const response = watch(new Response(body, { headers: { 'content-type': 'text/event-stream' } }), see);
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
