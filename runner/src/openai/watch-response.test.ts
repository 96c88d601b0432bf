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
