import { createAnswerer } from './answer-request';
import type { ContentsThread } from './start-contents-thread';

/** The same work without a thread: a thread's start takes longer than most tests. */
export function inProcess(fileName: string): ContentsThread {
  return { ask: createAnswerer(fileName), close: () => Promise.resolve() };
}
