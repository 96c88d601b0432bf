/**
 * Threads for the reads of transcripts. It owns a few of them, started when they are first needed, and the tasks that
 * wait; a task beyond its limit of time or memory ends its thread, fails alone, and the next task starts another one.
 */
import type { Worker } from 'node:worker_threads';
import {
  type ContentsTask,
  ContentsTooHeavyError,
  type ContentsWork,
  type TaskInput,
  type TaskOutput,
} from '../../db/transcripts/contents/contents-work';
import type { ReadsAnswer, ReadsRequest } from './reads-thread';
import { startWorker } from './start-worker';

export interface ReadsThreads extends ContentsWork {
  close(): Promise<void>;
}

export interface ReadsLimits {
  /** Of one task, from when a thread is at it. Default 10 000. */
  taskMs?: number;
  /** Until a thread is at its task: a new one has to begin first, on a busy machine. Default 60 000. */
  beginMs?: number;
  /** Default 768. */
  memoryMegabytes?: number;
  /** Default 2: one heavy read leaves a thread to the others. */
  threads?: number;
  /** Makes a thread; another one in tests. */
  start?: () => Worker;
}

interface Waiting extends ReadsRequest {
  resolve(output: unknown): void;
  reject(error: Error): void;
}

export function startReadsThreads({
  taskMs = 10_000,
  beginMs = 60_000,
  memoryMegabytes = 768,
  threads = 2,
  start = () => startWorker('reads-thread', { resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes } }),
}: ReadsLimits = {}): ReadsThreads {
  const waiting: Waiting[] = [];
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  let isClosed = false;

  const drop = (worker: Worker): void => {
    all.delete(worker);
    const place = idle.indexOf(worker);
    if (place !== -1) idle.splice(place, 1);
  };
  const take = (): Worker | null => {
    const free = idle.pop();
    if (free) return free;
    if (all.size >= threads) return null;
    const worker = start();
    // A process that has nothing else to do may end.
    worker.unref();
    worker.setMaxListeners(0);
    worker.once('exit', () => drop(worker));
    // Told to the task that it was at; without a task nobody has to know.
    worker.on('error', () => undefined);
    all.add(worker);
    return worker;
  };

  const work = (): void => {
    while (waiting.length > 0) {
      const worker = take();
      const next = worker === null ? undefined : waiting.shift();
      if (worker === null || next === undefined) return;
      run(worker, next);
    }
  };

  const run = (worker: Worker, { task, input, resolve, reject }: Waiting): void => {
    const end = (settle: () => void, isUsable: boolean): void => {
      clearTimeout(timer);
      worker.off('message', answered);
      worker.off('error', broke);
      worker.off('exit', exited);
      if (isUsable && !isClosed) idle.push(worker);
      else drop(worker);
      settle();
      work();
    };
    const heavy = (words: string) => () => reject(new ContentsTooHeavyError(words));
    const limit = (milliseconds: number, settle: () => void): NodeJS.Timeout =>
      setTimeout(() => {
        void worker.terminate();
        end(settle, false);
      }, milliseconds);
    const answered = (answer: ReadsAnswer): void => {
      if (answer === 'begun') {
        clearTimeout(timer);
        timer = limit(taskMs, heavy(`reading this takes longer than ${taskMs / 1_000} s`));
        return;
      }
      end(() => (answer.ok ? resolve(answer.output) : reject(new Error(answer.reason))), true);
    };
    const broke = (error: NodeJS.ErrnoException): void =>
      end(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? heavy(`reading this takes more than ${memoryMegabytes} MB of memory`)
          : () => reject(error),
        false,
      );
    const exited = (): void => end(() => reject(new Error('the thread that read it ended')), false);
    let timer = limit(beginMs, () => reject(new Error(`no thread was at it within ${beginMs / 1_000} s`)));
    worker.on('message', answered);
    worker.once('error', broke);
    worker.once('exit', exited);
    worker.postMessage({ task, input } satisfies ReadsRequest);
  };

  return {
    run<K extends ContentsTask>(task: K, input: TaskInput<K>): Promise<TaskOutput<K>> {
      if (isClosed) return Promise.reject(new Error('the server stops'));
      return new Promise<unknown>((resolve, reject) => {
        waiting.push({ task, input, resolve, reject });
        work();
      }) as Promise<TaskOutput<K>>;
    },
    async close() {
      isClosed = true;
      for (const { reject } of waiting.splice(0)) reject(new Error('the server stops'));
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}
