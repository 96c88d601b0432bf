import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ContentsTooHeavyError } from '../../db/transcripts/contents/contents-work';
import { FileUnreadableError, startContentsThread, startReadsPool } from './thread-pools';

const thread = new URL('./testing/bad-thread.mjs', import.meta.url);
const LONG_MS = 60_000;
const closing: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

function started<T extends { close(): Promise<void> }>(pool: T): T {
  closing.push(() => pool.close());
  return pool;
}

describe('the thread that reads a file', () => {
  const start = (limitMs: number) =>
    started(
      startContentsThread({ fileName: 'a.jsonl', summary: null }, { limitMs, memoryMegabytes: 32, thread }),
    );

  it('ends at its time limit, and refuses later steps', async () => {
    const file = start(1_000);
    await expect(file.read('endless' as never)).rejects.toThrow('reading it takes longer than 1 s');
    await expect(file.read('fine' as never)).rejects.toThrow(FileUnreadableError);
  });

  it('ends at its memory limit', async () => {
    await expect(start(LONG_MS).read('hungry' as never)).rejects.toThrow(
      'reading it takes more than 32 MB of memory',
    );
  });

  it('reports an error of the parser', async () => {
    await expect(start(LONG_MS).read('broken' as never)).rejects.toThrow('reading it failed: it is broken');
  });
});

describe('the pool for reads', () => {
  const ask = (behaviour: string) => ({ phrase: [behaviour], bodies: [] });

  it('returns the results and errors of its tasks', async () => {
    const pool = started(startReadsPool({ limitMs: LONG_MS }));
    await expect(pool.run('search', ask('x'))).resolves.toEqual([]);
    await expect(pool.run('search', { phrase: ['x'], bodies: [new Uint8Array(3)] })).rejects.toThrow();
    await expect(pool.run('search', ask('x'))).resolves.toEqual([]);
  });

  it('ends only the task that exceeds its time limit', async () => {
    const limits: AbortController[] = [];
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const limit = new AbortController();
      limits.push(limit);
      return limit.signal;
    });
    onTestFinished(() => timeout.mockRestore());
    const pool = started(startReadsPool({ limitMs: 1_500, thread }));
    const heavy = pool.run('search', ask('endless'));
    heavy.catch(() => undefined);
    await expect(pool.run('search', ask('fine'))).resolves.toEqual([]);
    expect(timeout).toHaveBeenCalledWith(1_500);
    limits[0]?.abort();
    await expect(heavy).rejects.toThrow(ContentsTooHeavyError);
    await expect(heavy).rejects.toThrow('reading it takes longer than 1.5 s');
    await expect(pool.run('search', ask('fine'))).resolves.toEqual([]);
  });

  it('ends a task at its memory limit', async () => {
    const pool = started(startReadsPool({ limitMs: LONG_MS, memoryMegabytes: 32, thread }));
    await expect(pool.run('search', ask('hungry'))).rejects.toThrow(
      'reading it takes more than 32 MB of memory',
    );
  });

  it('rejects running tasks when it closes', async () => {
    const pool = startReadsPool({ limitMs: LONG_MS, thread });
    const heavy = pool.run('search', ask('endless'));
    const rejected = expect(heavy).rejects.toThrow();
    await pool.close();
    await rejected;
  });
});
