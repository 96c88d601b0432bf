/**
 * A thread that reads one transcript, from outside. It owns the thread's life: a request that takes longer than its
 * limit, or memory beyond the thread's, ends it, and the file is the one that failed.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
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

/**
 * Beside this file: built, or as source where the process itself runs sources. A thread does not inherit how those are
 * read, so it is told in a line of its own.
 */
function makeWorker(options: WorkerOptions): Worker {
  const built = fileURLToPath(new URL('./contents-thread.mjs', import.meta.url));
  if (existsSync(built)) return new Worker(built, options);
  const source = new URL('./contents-thread.ts', import.meta.url).href;
  const loader = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/cjs$/, 'mjs'),
  ).href;
  const code = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(source)}); });`;
  return new Worker(code, { ...options, eval: true });
}

export function startContentsThread(fileName: string, limits: ThreadLimits = THREAD_LIMITS): ContentsThread {
  const worker = makeWorker({
    workerData: { fileName },
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMegabytes },
  });
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
