/** The thread that reads one file: a hostile file can only exhaust this thread, which the server then ends. */
import { workerData } from 'piscina';
import { createContentsTasks } from './contents-tasks';

const { fileName } = workerData as { fileName: string };
export const { scan, endScan, follow, read, finish } = createContentsTasks(fileName);
