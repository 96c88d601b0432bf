/** The thread that reads one file: a hostile file can only exhaust this thread, which the server then ends. */
import { workerData } from 'piscina';
import { type ContentsSource, createContentsTasks } from './contents-tasks';

export const { scan, read, finish } = createContentsTasks(workerData as ContentsSource);
