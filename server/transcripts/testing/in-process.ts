import { type ContentsSource, createContentsTasks } from '../contents-tasks';
import type { ContentsThread } from '../thread-pools';

/** Read in this thread: starting one takes longer than most tests. */
export function inProcess(source: ContentsSource): ContentsThread {
  return { ...createContentsTasks(source), close: () => Promise.resolve() };
}
