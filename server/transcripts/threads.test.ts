import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { ContentsTooHeavyError } from '../../db/transcripts/contents/contents-work';
import { FileUnreadableError, startContentsThread } from './start-contents-thread';
import { startReadsThreads } from './start-reads-threads';

/** A thread that answers each message by what the line makes of it. */
const threadThat = (line: string): Worker =>
  new Worker(
    `const { parentPort } = require('node:worker_threads'); parentPort.on('message', (message) => { ${line} });`,
    {
      eval: true,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 32 },
    },
  );
/** As such a thread, which tells first that it is at its task. */
const readsThreadThat = (line: string): Worker => threadThat(`parentPort.postMessage('begun'); ${line}`);
const ENDLESS = 'for (;;) {}';
/** As endless, but idle: others may compute meanwhile. */
const STUCK = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
const HUNGRY = 'const all = []; for (;;) all.push(new Array(10_000).fill(1));';

describe('The thread that reads a file', () => {
  const limits = { requestMs: 300, memoryMegabytes: 32 };
  const start = (line: string) => startContentsThread('a.jsonl', limits, () => threadThat(line));

  it('answers within its limit', async () => {
    const slow = { ...limits, requestMs: 60_000 };
    const thread = startContentsThread('a.jsonl', slow, () =>
      threadThat("parentPort.postMessage({ type: 'done', segments: [] });"),
    );
    await expect(thread.ask({ type: 'end_scan' })).resolves.toEqual({ type: 'done', segments: [] });
    await thread.close();
  });

  it('is ended where it answers nothing in time, and so is whatever is asked afterwards', async () => {
    const thread = start(ENDLESS);
    const asked = thread.ask({ type: 'finish' });
    await expect(asked).rejects.toThrow('a part of it takes longer than 0.3 s to read');
    await expect(thread.ask({ type: 'finish' })).rejects.toThrow(FileUnreadableError);
    await thread.close();
  });

  it('is ended where the file takes more memory than it has', async () => {
    const thread = startContentsThread('a.jsonl', { ...limits, requestMs: 60_000 }, () => threadThat(HUNGRY));
    await expect(thread.ask({ type: 'finish' })).rejects.toThrow('takes more than 32 MB of memory');
    await thread.close();
  });
});

describe('The threads of reads', () => {
  let threads: ReturnType<typeof startReadsThreads> | null = null;
  afterEach(() => threads?.close());
  const asked = { phrase: [], bodies: [] };

  it('answer as the work itself does', { timeout: 60_000 }, async () => {
    threads = startReadsThreads();
    await expect(threads.run('search', asked)).resolves.toEqual([]);
    await expect(threads.run('search', { phrase: ['x'], bodies: [new Uint8Array(3)] })).rejects.toThrow();
    // What failed there is over: the thread goes on.
    await expect(threads.run('search', asked)).resolves.toEqual([]);
  });

  it('end a task that takes too long, alone: those that wait are done by another thread', async () => {
    let started = 0;
    threads = startReadsThreads({
      taskMs: 500,
      threads: 1,
      start: () => {
        started += 1;
        return readsThreadThat(started === 1 ? STUCK : 'parentPort.postMessage({ ok: true, output: [] });');
      },
    });
    const heavy = threads.run('search', asked);
    const light = threads.run('search', asked);
    await expect(heavy).rejects.toThrow(ContentsTooHeavyError);
    await expect(light).resolves.toEqual([]);
    expect(started).toBe(2);
  });

  it('give a task its time from when a thread is at it, however long that thread takes to begin', async () => {
    const slow = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);';
    threads = startReadsThreads({
      taskMs: 400,
      threads: 1,
      start: () =>
        threadThat(
          `${slow} parentPort.postMessage('begun'); parentPort.postMessage({ ok: true, output: [] });`,
        ),
    });
    await expect(threads.run('search', asked)).resolves.toEqual([]);
  });

  it('fail a task that no thread comes to, with other words than one that is too heavy', async () => {
    threads = startReadsThreads({ beginMs: 50, threads: 1, start: () => threadThat(STUCK) });
    const failed = threads.run('search', asked);
    await expect(failed).rejects.toThrow('no thread was at it within 0.05 s');
    await expect(failed).rejects.not.toBeInstanceOf(ContentsTooHeavyError);
  });

  it('end a task that takes too much memory, with those words', async () => {
    threads = startReadsThreads({ taskMs: 60_000, threads: 1, start: () => readsThreadThat(HUNGRY) });
    await expect(threads.run('search', asked)).rejects.toThrow(/takes more than \d+ MB of memory/);
  });

  it('leave a thread to the others while one task is long', async () => {
    let started = 0;
    threads = startReadsThreads({
      taskMs: 60_000,
      start: () => {
        started += 1;
        return readsThreadThat(started === 1 ? STUCK : 'parentPort.postMessage({ ok: true, output: [] });');
      },
    });
    const heavy = threads.run('search', asked);
    heavy.catch(() => undefined);
    await expect(threads.run('search', asked)).resolves.toEqual([]);
    await threads.close();
    await expect(heavy).rejects.toThrow();
  });
});
