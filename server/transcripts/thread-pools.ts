/**
 * Threads for transcripts, by piscina. A task that exceeds its time or memory ends its thread and fails alone; the next
 * task gets a new thread.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import Piscina from 'piscina';
import { ContentsTooHeavyError, type ContentsWork } from '../../db/transcripts/contents/contents-work';
import type { ContentsTasks } from './contents-tasks';

interface PoolOptions {
  /** Any exported task: piscina loads the file by looking it up. */
  name: string;
  maxThreads: number;
  memoryMegabytes: number;
  workerData?: unknown;
}

/** Run the built file, or the source where the server itself runs from sources. Threads get an empty environment. */
function createPool(thread: URL, { name, maxThreads, memoryMegabytes, workerData }: PoolOptions): Piscina {
  const built = new URL(thread.href.replace(/\.ts$/, '.mjs'));
  const isBuilt = existsSync(built);
  return new Piscina({
    filename: fileURLToPath(isBuilt ? built : thread),
    name,
    execArgv: isBuilt ? [] : ['--require', createRequire(import.meta.url).resolve('tsx/cjs')],
    env: {},
    minThreads: 0,
    maxThreads,
    idleTimeout: Number.POSITIVE_INFINITY,
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    workerData,
  });
}

async function runLimited(
  pool: Piscina,
  task: { name: string; input: unknown; limitMs: number },
  memoryMegabytes: number,
): Promise<
  { type: 'done'; output: unknown } | { type: 'exceeded'; limit: string } | { type: 'failed'; error: Error }
> {
  const { name, input, limitMs } = task;
  const signal = AbortSignal.timeout(limitMs);
  try {
    return { type: 'done', output: await pool.run(input, { name, signal }) };
  } catch (error) {
    if (signal.aborted) return { type: 'exceeded', limit: `takes longer than ${limitMs / 1_000} s` };
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return { type: 'exceeded', limit: `takes more than ${memoryMegabytes} MB of memory` };
    }
    return { type: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
  }
}

export interface ReadsPool extends ContentsWork {
  close(): Promise<void>;
}

export interface ReadsPoolOptions {
  /** Of one task, waiting for a thread included. */
  limitMs?: number;
  memoryMegabytes?: number;
  thread?: URL;
}

/** Two threads: one heavy read leaves the other to everyone else. */
const READS_THREADS = 2;

export function startReadsPool({
  limitMs = 20_000,
  memoryMegabytes = 768,
  thread = new URL('./reads-thread.ts', import.meta.url),
}: ReadsPoolOptions = {}): ReadsPool {
  const pool = createPool(thread, { name: 'search', maxThreads: READS_THREADS, memoryMegabytes });
  return {
    async run(name, input) {
      const result = await runLimited(pool, { name, input, limitMs }, memoryMegabytes);
      if (result.type === 'exceeded') throw new ContentsTooHeavyError(`reading this ${result.limit}`);
      if (result.type === 'failed') throw result.error;
      return result.output as never;
    },
    close: () => pool.destroy(),
  };
}

export interface ContentsThread extends ContentsTasks {
  close(): Promise<void>;
}

/** The file cannot be read; another try would fail the same way. */
export class FileUnreadableError extends Error {
  override readonly name = 'FileUnreadableError';
}

export interface ContentsThreadOptions {
  /** Of one step: a chunk of 1 MiB, or the end of the file. */
  limitMs?: number;
  memoryMegabytes?: number;
  thread?: URL;
}

/** A thread of its own for one file. Its methods throw FileUnreadableError. */
export function startContentsThread(
  fileName: string,
  {
    limitMs = 60_000,
    memoryMegabytes = 1_024,
    thread = new URL('./contents-thread.ts', import.meta.url),
  }: ContentsThreadOptions = {},
): ContentsThread {
  const pool = createPool(thread, {
    name: 'follow',
    maxThreads: 1,
    memoryMegabytes,
    workerData: { fileName },
  });
  let broken: FileUnreadableError | null = null;
  async function step<T>(name: keyof ContentsTasks, input?: unknown): Promise<T> {
    if (broken) throw broken;
    const result = await runLimited(pool, { name, input, limitMs }, memoryMegabytes);
    if (result.type === 'done') return result.output as T;
    // The thread's state is lost: later steps must not run in a new one.
    broken = new FileUnreadableError(
      result.type === 'exceeded'
        ? `reading it ${result.limit}`
        : `reading it failed: ${result.error.message}`,
    );
    throw broken;
  }
  return {
    scan: (bytes) => step('scan', bytes),
    endScan: () => step('endScan'),
    follow: (summary) => step('follow', summary),
    read: (bytes) => step('read', bytes),
    finish: () => step('finish'),
    close: () => pool.destroy(),
  };
}
