/**
 * Time from a runner's send to the frame of a live viewer that shows the turn, at an even pace, beside the time to the
 * acknowledgement of the same turns.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as rest } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { sessionId } from '../core/identity/session-id';
import type { LiveFrame } from '../core/live/protocol';
import type { ServerMessage } from '../core/protocol/messages';
import { PROTOCOL_VERSION } from '../core/protocol/version';
import type { BarographServer } from '../e2e/support/server';
import type { BenchDatabase } from './lib/bench-database';
import { type Figure, quantile } from './lib/figures';
import { createTurnSource } from './lib/make-turns';
import { targetOf, withServer } from './lib/processes';

interface PushScale {
  seconds: number;
  largeFleet: number;
}

const PROJECT = 'bench';
const SESSIONS_PER_FRAME = 500;
const PART_GAP_MS = 50;
/** After its first read of a fleet, the feed pauses. */
const SETTLE_MS = 1_000;

export async function measurePush(
  database: BenchDatabase,
  { seconds, largeFleet }: PushScale,
): Promise<Figure[]> {
  return await withServer(database, 'all', async (server) => {
    const figures: Figure[] = [];
    // The first run warms up the server and does not count.
    await runPush(server, { sessions: 1, perSecond: 100, seconds: 2 });
    for (const sessions of [1, 1_000]) {
      for (const perSecond of [50, 500]) {
        const { delays, acks } = await runPush(server, { sessions, perSecond, seconds });
        const name = `Push, ${sessions} sessions, ${perSecond} turns/s`;
        const unit = 'ms';
        figures.push(
          { name: `${name}, median`, value: quantile(delays, 0.5), unit, most: 15 },
          { name: `${name}, 99th percentile`, value: quantile(delays, 0.99), unit, most: 60 },
          { name: `${name}, acknowledged, median`, value: quantile(acks, 0.5), unit },
        );
      }
    }
    const large = await runPush(server, { sessions: largeFleet, perSecond: 1_000, seconds });
    const name = `Push, ${largeFleet} sessions, 1000 turns/s, frames per second`;
    figures.push({ name, value: large.frames / seconds, most: 4.5 });
    return figures;
  });
}

let runs = 0;

async function runPush(
  server: BarographServer,
  { sessions, perSecond, seconds }: { sessions: number; perSecond: number; seconds: number },
) {
  runs += 1;
  const names = Array.from({ length: sessions }, (_, index) => `push-${runs}-${index}`);
  const sent = new Map(names.map((name) => [sessionId(PROJECT, name), [] as number[]]));
  let seq = 0;
  const nextSeq = () => {
    seq += 1;
    return seq;
  };
  const sources = names.map((name, index) => ({
    id: sessionId(PROJECT, name),
    source: createTurnSource(name, index + 1, Date.now() - 60_000, { nextSeq }),
  }));
  const runner = await connectRunner(server);
  for (let first = 0; first < sources.length; first += SESSIONS_PER_FRAME) {
    const some = sources.slice(first, first + SESSIONS_PER_FRAME);
    await runner.send(some.flatMap(({ source }) => source.next(1)));
  }

  const delays: number[] = [];
  let frames = 0;
  let lastAt = 0;
  let isMeasured = false;
  const shown = new Map<string, number>();
  const viewer = new WebSocket(`${server.url.replace(/^http/, 'ws')}/v1/live`, { origin: server.url });
  viewer.on('message', (data) => {
    const now = performance.now();
    const frame = JSON.parse(String(data)) as LiveFrame;
    if (frame.type !== 'fleet_snapshot' && frame.type !== 'fleet_delta') return;
    // Many rows are sent in parts, one right after the other.
    if (isMeasured && now - lastAt > PART_GAP_MS) frames += 1;
    lastAt = now;
    for (const { id, turnCount } of frame.type === 'fleet_delta' ? frame.changed : frame.sessions) {
      const waiting = sent.get(id);
      for (let turn = shown.get(id) ?? turnCount; turn < turnCount; turn += 1) {
        const at = waiting?.shift();
        if (at !== undefined) delays.push(now - at);
      }
      if (waiting) shown.set(id, turnCount);
    }
  });
  await once(viewer, 'open');
  viewer.send(JSON.stringify({ type: 'subscribe', topic: 'fleet' }));
  while (shown.size < sessions) await rest(20);

  await rest(SETTLE_MS);
  isMeasured = true;
  const acks: Promise<number>[] = [];
  const startedAt = performance.now();
  const total = perSecond * seconds;
  for (let turn = 0; turn < total; turn += 1) {
    const wait = startedAt + (turn / perSecond) * 1_000 - performance.now();
    if (wait > 0) await rest(wait);
    const { id, source } = sources[turn % sources.length] ?? {};
    if (!id || !source) throw new Error('there are no sessions');
    sent.get(id)?.push(performance.now());
    acks.push(runner.send(source.next(1, Date.now())));
  }
  isMeasured = false;
  const acknowledged = await Promise.all(acks);
  while (delays.length < total) await rest(20);
  viewer.terminate();
  runner.close();
  return { delays, acks: acknowledged, frames };
}

/** A runner whose `send` resolves with the time to the acknowledgement. Frames are acknowledged in their order. */
async function connectRunner(server: BarographServer) {
  const { url, token } = targetOf(server);
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
  await once(socket, 'open');
  const hello = { type: 'hello', v: PROTOCOL_VERSION, project: PROJECT, runner: { name: 'push' } };
  const waiting: ((message: ServerMessage) => void)[] = [];
  socket.on('message', (data) => {
    for (const message of [JSON.parse(String(data)) as ServerMessage | ServerMessage[]].flat()) {
      if (message.type === 'error') throw new Error(message.reason);
      if (message.type === 'ack' && message.refused.length > 0) throw new Error('an item was refused');
      waiting.shift()?.(message);
    }
  });
  const answer = (text: string) =>
    new Promise<number>((resolve) => {
      const startedAt = performance.now();
      waiting.push(() => resolve(performance.now() - startedAt));
      socket.send(text);
    });
  await answer(JSON.stringify({ ...hello, stream: randomUUID(), source: 'sdk', now: Date.now() }));
  return { send: (items: object[]) => answer(JSON.stringify(items)), close: () => socket.terminate() };
}
