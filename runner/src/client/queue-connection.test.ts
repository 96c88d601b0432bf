import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CLOSE } from '../../../core/protocol/close-codes';
import { DurableQueue } from '../queue/durable-queue';
import type { ClientState } from './client-types';
import type { ClientSocket, SocketHandlers } from './connect-server';
import { QueueConnection } from './queue-connection';

const STREAM = '00000000-0000-4000-8000-000000000001';
let states: ClientState[];
let sockets: Array<{ handlers: SocketHandlers; sent: string[]; isDropped: boolean }>;
let queue: DurableQueue;
let connection: QueueConnection;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 1_000_000 });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  states = [];
  sockets = [];
  const identity = { url: 'ws://h/v1/ingest', project: 'p', runner: { name: 'r' }, source: 'sdk' as const };
  const none = { segments: [], nextSeq: 1, settled: [], reservedThrough: 0, folder: null };
  queue = new DurableQueue({ ...none, stream: STREAM, identity, maxBytes: 1e6, warn: () => undefined });
  connection = new QueueConnection({
    queue,
    connect: (handlers): ClientSocket => {
      const socket = { handlers, sent: [] as string[], isDropped: false };
      sockets.push(socket);
      return {
        send: (text) => socket.sent.push(text),
        drop: () => {
          socket.isDropped = true;
        },
        keepAlive: () => undefined,
      };
    },
    now: Date.now,
    timing: undefined,
    onState: (state) => states.push(state),
    onRefused: () => undefined,
    onSettled: () => undefined,
  });
  connection.start();
});
afterEach(() => {
  connection.stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const socket = () => sockets.at(-1) ?? expect.fail('no socket');
const say = (message: object) => socket().handlers.onMessage(JSON.stringify(message));
const close = (code: number) => socket().handlers.onClose(code, 'd');
const ack = (...settled: [number, number][]) =>
  say({ type: 'ack', settled, duplicate: [], amended: [], refused: [] });
function greet(): void {
  socket().handlers.onOpen();
  say({ type: 'welcome', v: 1, server: { name: 's', version: '0', epoch: 'e' }, limits: {}, received: [] });
}
/** Lets the backoff pass until the next connection. @returns the backoff in milliseconds. */
function passBackoff(): number {
  const state = states.at(-1);
  if (state?.status !== 'waiting') return expect.fail('not waiting');
  const ms = state.retryAt - Date.now();
  const before = sockets.length;
  if (ms > 0) {
    vi.advanceTimersByTime(ms - 1);
    expect(sockets).toHaveLength(before);
  }
  vi.advanceTimersByTime(1);
  expect(sockets).toHaveLength(before + 1);
  return ms;
}

test('sends the hello, waits for the welcome, and sends the items', () => {
  queue.append('{"seq":1}');
  expect(socket().sent).toEqual([]);
  socket().handlers.onOpen();
  expect(JSON.parse(socket().sent[0] ?? '')).toMatchObject({ type: 'hello', stream: STREAM, now: 1_000_000 });
  greet();
  expect(socket().sent.at(-1)).toBe('[{"seq":1}]');
  ack([1, 1]);
  expect(queue.pending).toBe(0);
  expect(states.map(({ status }) => status)).toEqual(['connecting', 'connected']);
});

test('closes the connection if the server does not respond to the connect or the hello', () => {
  vi.advanceTimersByTime(15_000);
  expect(socket().isDropped).toBe(true);
  passBackoff();
  socket().handlers.onOpen();
  vi.advanceTimersByTime(15_000);
  expect(socket().isDropped).toBe(true);
  const detail = 'The server did not respond in time.';
  expect(states.at(-1)).toMatchObject({ reason: 'unreachable', detail });
});

test.each([0, -86_400_000])('closes a silent connection after a clock change of %i ms', (change) => {
  greet();
  socket().handlers.onHeard();
  connection.checkSilence(Date.now() + change);
  expect(states.at(-1)).toMatchObject({ status: 'connected' });
  connection.checkSilence(Date.now() + change + 60_000);
  expect(states.at(-1)).toMatchObject({ status: 'waiting', reason: 'unreachable' });
});

test.each([
  [CLOSE.unauthorized, 'unauthorized'],
  [CLOSE.forbidden, 'unauthorized'],
  [CLOSE.unsupportedVersion, 'unsupported_version'],
  [CLOSE.badMessage, 'bad_message'],
  [CLOSE.frameTooLarge, 'bad_message'],
  [CLOSE.unavailable, 'unavailable'],
  [CLOSE.goingAway, 'unavailable'],
  [CLOSE.helloTimeout, 'unreachable'],
  [1006, 'unreachable'],
])('maps close code %i to %s, and retries soon only if waiting helps', (code, reason) => {
  close(code);
  expect(states.at(-1)).toMatchObject({ status: 'waiting', reason, detail: 'd' });
  connection.hurry();
  expect(sockets).toHaveLength(reason === 'unreachable' || reason === 'unavailable' ? 2 : 1);
});

test('waits a random time up to a bound that doubles until the cap', () => {
  vi.mocked(Math.random).mockReturnValue(0.99);
  const waits: number[] = [];
  for (let i = 0; i < 10; i += 1) {
    close(1006);
    waits.push(passBackoff());
  }
  const bounds = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000];
  expect(waits).toEqual(bounds.map((bound) => Math.round(bound * 0.99)));
  vi.mocked(Math.random).mockReturnValue(0);
  close(1006);
  expect(passBackoff()).toBe(0);
});

test('retries slowly after a wrong token or version', () => {
  for (const code of [CLOSE.unauthorized, CLOSE.unsupportedVersion]) {
    close(code);
    expect(passBackoff()).toBe(45_000);
  }
});

test('resets the backoff only after an acknowledgement', () => {
  for (const ms of [125, 250, 500]) {
    greet();
    close(1006);
    expect(passBackoff()).toBe(ms);
  }
  greet();
  ack([1, 1]);
  close(1006);
  expect(passBackoff()).toBe(125);
});

test('stays closed after a stop', () => {
  close(1006);
  connection.stop();
  connection.hurry();
  vi.advanceTimersByTime(100_000);
  expect(sockets).toHaveLength(1);
});
