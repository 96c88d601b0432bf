import { type ContentsSource, createContentsTasks } from '../contents-tasks';
import type { ContentsThread } from '../thread-pools';

/** Reads in this thread, because starting another thread takes longer than most tests. */
export function inProcess(source: ContentsSource): ContentsThread {
  return { ...createContentsTasks(source), close: () => Promise.resolve() };
}
