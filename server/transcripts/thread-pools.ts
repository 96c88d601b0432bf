/**
 * Threads for transcripts, by piscina. A task that exceeds its time or memory fails and ends its thread. The next task
 * gets a new thread.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import Piscina from 'piscina';
import { ContentsTooHeavyError, type ContentsWork } from '../../db/transcripts/contents/contents-work';
import type { ContentsSource, ContentsTasks } from './contents-tasks';

interface PoolOptions {
  /** Name of any task that the file exports: piscina needs one to load the file. */
  name: string;
  maxThreads: number;
  memoryMegabytes: number;
  workerData?: unknown;
}

/** Run the built file, or the source if the server runs from sources. Threads get an empty environment. */
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

interface Limits {
  /** Time limit of one task, including the wait for a thread. */
  limitMs: number;
  memoryMegabytes: number;
}

/** @throws ContentsTooHeavyError when the task exceeds a limit; the task's own error */
async function runLimited(
  pool: Piscina,
  name: string,
  input: unknown,
  { limitMs, memoryMegabytes }: Limits,
): Promise<unknown> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    return await pool.run(input, { name, signal });
  } catch (error) {
    if (signal.aborted) throw new ContentsTooHeavyError(`reading it takes longer than ${limitMs / 1_000} s`);
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
    throw new ContentsTooHeavyError(`reading it takes more than ${memoryMegabytes} MB of memory`);
  }
}

export interface ReadsPool extends ContentsWork {
  close(): Promise<void>;
}

export interface PoolLimits extends Partial<Limits> {
  thread?: URL;
}

/** Two threads, so that a heavy read leaves one for other requests. */
const READS_THREADS = 2;

export function startReadsPool({
  limitMs = 20_000,
  memoryMegabytes = 768,
  thread = new URL('./reads-thread.ts', import.meta.url),
}: PoolLimits = {}): ReadsPool {
  const pool = createPool(thread, { name: 'search', maxThreads: READS_THREADS, memoryMegabytes });
  return {
    run: async (name, input) => (await runLimited(pool, name, input, { limitMs, memoryMegabytes })) as never,
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

/** Starts a thread for one file. Its methods throw FileUnreadableError. A step is a chunk of 1 MiB, or the end. */
export function startContentsThread(
  { fileName, summary }: ContentsSource,
  {
    limitMs = 60_000,
    memoryMegabytes = 1_024,
    thread = new URL('./contents-thread.ts', import.meta.url),
  }: PoolLimits = {},
): ContentsThread {
  const workerData = { fileName, summary };
  const pool = createPool(thread, { name: 'read', maxThreads: 1, memoryMegabytes, workerData });
  let broken: FileUnreadableError | null = null;
  const step = async (name: keyof ContentsTasks, input?: unknown): Promise<never> => {
    if (broken) throw broken;
    try {
      return (await runLimited(pool, name, input, { limitMs, memoryMegabytes })) as never;
    } catch (error) {
      // The thread's state is lost, so later steps must not run in a new thread.
      const { message } = error as Error;
      const isLimit = error instanceof ContentsTooHeavyError;
      broken = new FileUnreadableError(isLimit ? message : `reading it failed: ${message}`);
      throw broken;
    }
  };
  return {
    scan: (bytes) => step('scan', bytes),
    read: (bytes) => step('read', bytes),
    finish: () => step('finish'),
    close: () => pool.destroy(),
  };
}
