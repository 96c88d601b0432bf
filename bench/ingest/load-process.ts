/**
 * A process of its own that plays many runners: each a WebSocket of its own, frames made before the clock starts,
 * a few of them in flight, and counted when they are acknowledged.
 */
import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import type { Ack, ServerMessage } from '../../core/protocol/messages';
import { PROTOCOL_VERSION } from '../../core/protocol/version';
import type { LoadResult, LoadTask } from './load-messages';
import { createTurnSource } from './make-turns';

interface Runner {
  socket: WebSocket;
  frames: string[];
  send(): void;
  done: Promise<void>;
}

process.on('message', async (task: LoadTask) => {
  const counts = { acknowledged: 0, refused: 0 };
  const runners = await Promise.all(
    Array.from({ length: task.connections }, (_, index) => connectRunner(task, index, counts)),
  );
  const startedAt = performance.now();
  for (const runner of runners) runner.send();
  await Promise.all(runners.map(({ done }) => done));
  const result: LoadResult = { ...counts, elapsedMs: performance.now() - startedAt };
  for (const { socket } of runners) socket.terminate();
  process.send?.(result);
});

function connectRunner(
  task: LoadTask,
  index: number,
  counts: { acknowledged: number; refused: number },
): Promise<Runner> {
  const name = `runner-${task.round}-${index}`;
  const source = createTurnSource(
    `session-${task.round}-${index}`,
    task.round * 1_000 + index,
    Date.now() - 60_000,
  );
  const frames: string[] = [];
  for (let made = 0; made < task.turnsPerConnection; made += task.turnsPerFrame) {
    frames.push(JSON.stringify(source.next(Math.min(task.turnsPerFrame, task.turnsPerConnection - made))));
  }
  const socket = new WebSocket(task.url, { headers: { authorization: `Bearer ${task.token}` } });
  const hello = {
    type: 'hello',
    v: PROTOCOL_VERSION,
    project: task.project,
    runner: { name },
    stream: randomUUID(),
    source: 'sdk',
    now: Date.now(),
  };
  return new Promise((resolve, reject) => {
    let sent = 0;
    let answered = 0;
    let finish: () => void = () => undefined;
    const done = new Promise<void>((settle) => {
      finish = settle;
    });
    const send = () => {
      while (sent < frames.length && sent - answered < task.framesInFlight) {
        socket.send(frames[sent] ?? '[]');
        sent += 1;
      }
    };
    socket.on('error', reject);
    socket.on('open', () => socket.send(JSON.stringify(hello)));
    socket.on('message', (data) => {
      for (const message of messagesOf(String(data))) {
        if (message.type === 'error') reject(new Error(message.reason));
        if (message.type === 'welcome') resolve({ socket, frames, send, done });
        if (message.type !== 'ack') continue;
        answered += 1;
        counts.acknowledged += settledBy(message);
        counts.refused += message.refused.length;
        send();
        if (answered === frames.length) finish();
      }
    });
  });
}

function messagesOf(text: string): ServerMessage[] {
  const parsed: ServerMessage | ServerMessage[] = JSON.parse(text);
  return Array.isArray(parsed) ? parsed : [parsed];
}

function settledBy({ settled }: Ack): number {
  return settled.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

// The parent process ended.
process.once('disconnect', () => process.exit());
