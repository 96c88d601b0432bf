/**
 * A thread that reads one transcript, from outside. It owns the thread's life: a request that takes longer than its
 * limit, or memory beyond the thread's, ends it, and the file is the one that failed.
 */
import type { Worker } from 'node:worker_threads';
import { startWorker } from './start-worker';
import type { ThreadAnswer, ThreadRequest } from './thread-messages';

export interface ContentsThread {
  /** @throws FileUnreadableError when the file is at fault, or the thread ended. */
  ask(request: ThreadRequest): Promise<Exclude<ThreadAnswer, { type: 'failed' }>>;
  close(): Promise<void>;
}

/** The file cannot be read; the same again would end the same. */
export class FileUnreadableError extends Error {
  override readonly name = 'FileUnreadableError';
}

export interface ThreadLimits {
  /** For a chunk of 1 MiB, and for the end of a file. */
  requestMs: number;
  memoryMegabytes: number;
}

export const THREAD_LIMITS: ThreadLimits = { requestMs: 60_000, memoryMegabytes: 1_024 };

/** @param start makes the thread; another one in tests */
export function startContentsThread(
  fileName: string,
  limits: ThreadLimits = THREAD_LIMITS,
  start: (fileName: string, limits: ThreadLimits) => Worker = startReading,
): ContentsThread {
  const worker = start(fileName, limits);
  let ended: FileUnreadableError | null = null;
  let settle: ((answer: ThreadAnswer | FileUnreadableError) => void) | null = null;

  const end = (reason: string): void => {
    ended ??= new FileUnreadableError(reason);
    settle?.(ended);
  };
  worker.on('message', (answer: ThreadAnswer) => settle?.(answer));
  worker.on('error', (error: NodeJS.ErrnoException) =>
    end(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? `reading it takes more than ${limits.memoryMegabytes} MB of memory`
        : `reading it failed: ${error.message}`,
    ),
  );
  worker.on('exit', () => end('the thread that read it ended'));

  return {
    async ask(request) {
      if (ended) throw ended;
      const answer = await new Promise<ThreadAnswer | FileUnreadableError>((resolve) => {
        const timer = setTimeout(() => {
          end(`a part of it takes longer than ${limits.requestMs / 1_000} s to read`);
          void worker.terminate();
        }, limits.requestMs);
        settle = (result) => {
          clearTimeout(timer);
          settle = null;
          resolve(result);
        };
        worker.postMessage(request);
      });
      if (answer instanceof Error) throw answer;
      if (answer.type === 'failed') throw new FileUnreadableError(answer.reason);
      return answer;
    },
    async close() {
      await worker.terminate();
    },
  };
}

function startReading(fileName: string, { memoryMegabytes }: ThreadLimits): Worker {
  return startWorker('contents-thread', {
    workerData: { fileName },
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
  });
}
