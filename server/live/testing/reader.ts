/** For tests: a reader of a feed, at a speed that the test controls. */
import type { FrameSender } from '../frame-sender';

export function createReader<F>() {
  const frames: F[] = [];
  const listeners = new Set<() => void>();
  let waiting: (() => void)[] = [];
  let isBehind = false;
  let fullAfter = Number.POSITIVE_INFINITY;
  const sender: FrameSender = {
    send(body) {
      frames.push(JSON.parse(`{${body}}`));
      if (frames.length === fullAfter) isBehind = true;
      for (const listener of listeners) listener();
    },
    isBehind: () => isBehind,
    whenCaughtUp(task) {
      if (isBehind) waiting.push(task);
      else task();
    },
  };
  return {
    sender,
    frames,
    fallBehind() {
      isBehind = true;
    },
    fallBehindAfter(frameCount: number) {
      fullAfter = frameCount;
    },
    catchUp() {
      isBehind = false;
      const tasks = waiting;
      waiting = [];
      for (const task of tasks) task();
    },
    got(count: number): Promise<void> {
      return new Promise((resolve) => {
        const check = () => {
          if (frames.length >= count) resolve();
        };
        listeners.add(check);
        check();
      });
    },
  };
}

export async function follow<F>(feed: { subscribe(sender: FrameSender): void }) {
  const reader = createReader<F>();
  feed.subscribe(reader.sender);
  await reader.got(1);
  return reader;
}
