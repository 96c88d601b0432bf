import { createContentsTasks } from '../contents-tasks';
import type { ContentsThread } from '../thread-pools';

/** Read in this thread: starting one takes longer than most tests. */
export function inProcess(fileName: string): ContentsThread {
  return { ...createContentsTasks(fileName), close: () => Promise.resolve() };
}
