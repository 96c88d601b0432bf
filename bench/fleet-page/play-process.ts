/** A process that plays an active fleet: the last hour of every session, then turns at an even pace until `stop`. */
import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import type { Item } from '../../core/protocol/items';
import type { ServerMessage } from '../../core/protocol/messages';
import { PROTOCOL_VERSION } from '../../core/protocol/version';
import { createTurnSource, type TurnSource } from '../ingest/make-turns';
import type { PlayMessage, PlayRequest, PlayTask } from './play-messages';

const PACE_MS = 50;
const HOUR_MS = 3_600_000;
const FRAMES_IN_FLIGHT = 8;
/** Sessions per frame while the past is sent. */
const SESSIONS_PER_FRAME = 20;

interface Runner {
  sources: TurnSource[];
  /** Resolves once fewer frames are unanswered than may be. */
  send(items: Item[]): Promise<void>;
  settled(): Promise<void>;
}

const say = (message: PlayMessage) => process.send?.(message);
let go: (() => void) | null = null;
let stop: (() => void) | null = null;

process.on('message', (request: PlayRequest) => {
  if (request.type === 'go') go?.();
  else if (request.type === 'stop') stop?.();
  else
    play(request).catch((error: unknown) => {
      process.stderr.write(`${error}\n`);
      process.exit(1);
    });
});

async function play(task: PlayTask): Promise<void> {
  const runners = await Promise.all(Array.from({ length: task.runners }, (_, index) => connect(task, index)));
  await Promise.all(runners.map((runner) => sendThePast(runner, task.turnsBefore)));
  say({ type: 'ready' });
  await new Promise<void>((resolve) => {
    go = resolve;
  });
  const startedAt = performance.now();
  let turns = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * task.turnsPerSecond);
    const items = new Map<Runner, Item[]>();
    for (; turns < due; turns += 1) {
      const runner = runners[turns % runners.length];
      const source = runner?.sources[Math.floor(turns / runners.length) % (runner.sources.length || 1)];
      if (runner === undefined || source === undefined) continue;
      items.set(runner, [...(items.get(runner) ?? []), ...source.next(1, Date.now())]);
    }
    for (const [runner, own] of items) void runner.send(own);
  }, PACE_MS);
  await new Promise<void>((resolve) => {
    stop = resolve;
  });
  clearInterval(timer);
  say({ type: 'stopped', turns, elapsedMs: performance.now() - startedAt });
}

async function sendThePast({ sources, send, settled }: Runner, turnsBefore: number): Promise<void> {
  for (let first = 0; first < sources.length; first += SESSIONS_PER_FRAME) {
    await send(
      sources.slice(first, first + SESSIONS_PER_FRAME).flatMap((source) => source.next(turnsBefore)),
    );
  }
  await settled();
}

function connect(task: PlayTask, index: number): Promise<Runner> {
  let seq = 0;
  const nextSeq = () => {
    seq += 1;
    return seq;
  };
  const everyMs = Math.floor(HOUR_MS / (task.turnsBefore + 1));
  const own = Array.from(
    { length: Math.floor(task.sessions / task.runners) },
    (_, number) => number * task.runners + index,
  );
  const sources = own.map((number) =>
    createTurnSource(`work-${number}`, number, Date.now() - HOUR_MS + (number % 60) * 1_000, {
      everyMs,
      // Contexts of all ages, so that the page shows warnings, countdowns and compactions.
      from: 18_000 + ((number * 7_919) % 140_000),
      nextSeq,
    }),
  );
  const socket = new WebSocket(task.url, { headers: { authorization: `Bearer ${task.token}` } });
  const hello = {
    type: 'hello',
    v: PROTOCOL_VERSION,
    project: `team-${index % 12}`,
    runner: { name: `runner-${index}`, host: `host-${index}` },
    stream: randomUUID(),
    source: 'sdk',
    now: Date.now(),
  };
  let unanswered = 0;
  let waiting: (() => void)[] = [];
  const below = async (most: number) => {
    while (unanswered > most) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () => socket.send(JSON.stringify(hello)));
    socket.on('message', (data) => {
      const parsed: ServerMessage | ServerMessage[] = JSON.parse(String(data));
      for (const message of [parsed].flat()) {
        if (message.type === 'error') reject(new Error(message.reason));
        if (message.type === 'welcome') {
          resolve({
            sources,
            settled: () => below(0),
            async send(items) {
              unanswered += 1;
              socket.send(JSON.stringify(items));
              await below(FRAMES_IN_FLIGHT);
            },
          });
        }
        if (message.type !== 'ack') continue;
        if (message.refused.length > 0) reject(new Error(`${message.refused.length} items were refused`));
        unanswered -= 1;
        const woken = waiting;
        waiting = [];
        for (const wake of woken) wake();
      }
    });
  });
}

// The parent process ended.
process.once('disconnect', () => process.exit());
