/**
 * One browser's side of the feed: numbers its frames and detects a slow reader. To bound memory, frames for a slow
 * reader are not queued. The topics of a slow reader wait until it has caught up, and then start again.
 */
import type { WebSocket } from 'ws';
import { resyncCount } from '../metrics';

export interface FrameSender {
  /** Send a frame; `body` is its JSON without braces and envelope. */
  send(body: string): void;
  isBehind(): boolean;
  /** Call `task` once, as soon as the reader has caught up. */
  whenCaughtUp(task: () => void): void;
}

export interface FrameSenderOptions {
  epoch: string;
  now(): number;
  /** Unread bytes at which a reader counts as slow. */
  maxBufferedBytes: number;
}

export function createFrameSender(
  socket: WebSocket,
  { epoch, now, maxBufferedBytes }: FrameSenderOptions,
): FrameSender {
  let n = 0;
  let waiting: (() => void)[] = [];
  const isBehind = () => socket.bufferedAmount > maxBufferedBytes;
  const envelope = `"epoch":${JSON.stringify(epoch)}`;

  function caughtUp(): void {
    if (waiting.length === 0 || isBehind() || socket.readyState !== socket.OPEN) return;
    const tasks = waiting;
    waiting = [];
    for (const task of tasks) {
      // If a task fills the socket again, the next tasks wait.
      if (isBehind()) waiting.push(task);
      else task();
    }
  }

  return {
    send(body) {
      if (socket.readyState !== socket.OPEN) return;
      n += 1;
      // `caughtUp` runs once the frame has left this process: only then can the reader have caught up.
      socket.send(`{"n":${n},${envelope},"now":${now()},${body}}`, caughtUp);
    },
    isBehind,
    whenCaughtUp(task) {
      if (!isBehind()) return task();
      resyncCount.inc();
      waiting.push(task);
    },
  };
}
