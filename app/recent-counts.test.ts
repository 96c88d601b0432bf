import { describe, expect, it } from 'vitest';
import { createRecentCounts } from './recent-counts';

const SECOND = 1_000;

function setUp() {
  const answers: PromiseWithResolvers[] = [];
  const recent = createRecentCounts(() => {
    let resolve: (restarts: number) => void = () => undefined;
    let reject: (error: Error) => void = () => undefined;
    const promise = new Promise<number>((settle, refuse) => {
      resolve = settle;
      reject = refuse;
    });
    answers.push({ resolve, reject });
    return promise.then((restarts) => ({ restarts, compactions: 0, cacheReadShare: null }));
  });
  return { recent, answers };
}

interface PromiseWithResolvers {
  resolve: (restarts: number) => void;
  reject: (error: Error) => void;
}

describe('recent counts', () => {
  it('are read once for pages of the same moment, and kept while fresh', async () => {
    const { recent, answers } = setUp();
    const both = Promise.all([recent(0), recent(10)]);
    answers[0]?.resolve(3);
    expect((await both).map(({ restarts }) => restarts)).toEqual([3, 3]);
    expect((await recent(9 * SECOND)).restarts).toBe(3);
    expect(answers).toHaveLength(1);
  });

  it('are shown while the next ones are read, for at most a minute', async () => {
    const { recent, answers } = setUp();
    const first = recent(0);
    answers[0]?.resolve(3);
    await first;
    expect((await recent(11 * SECOND)).restarts, 'without waiting').toBe(3);
    expect(answers).toHaveLength(2);
    answers[1]?.resolve(4);
    await expect.poll(async () => (await recent(12 * SECOND)).restarts).toBe(4);
    const late = recent(120 * SECOND);
    answers[2]?.resolve(5);
    expect((await late).restarts).toBe(5);
  });

  it('are read again after a failure, which only waiting pages see', async () => {
    const { recent, answers } = setUp();
    const first = recent(0);
    answers[0]?.reject(new Error('the database is away'));
    await expect(first).rejects.toThrow('away');
    const second = recent(1);
    answers[1]?.resolve(1);
    expect((await second).restarts).toBe(1);
    expect((await recent(20 * SECOND)).restarts).toBe(1);
    answers[2]?.reject(new Error('the database is away'));
    await expect.poll(async () => (await recent(21 * SECOND)).restarts).toBe(1);
  });
});
