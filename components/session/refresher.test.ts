import { describe, expect, it } from 'vitest';
import { createRefresher, type RefreshState } from './refresher';

/** Reads are answered by hand, waits are only noted: the test is the clock. */
function bench(endless = Number.POSITIVE_INFINITY) {
  const reads: Array<{ key: string; answer: (value: string) => void; fail: () => void }> = [];
  const taken: string[] = [];
  const waits: number[] = [];
  const states: RefreshState[] = [];
  let clock = 0;
  let fresh = true;
  const refresher = createRefresher<string>({
    read: (key, signal) =>
      new Promise((resolve, reject) => {
        reads.push({ key, answer: resolve, fail: () => reject(new Error('no answer')) });
        signal.addEventListener('abort', () => reject(new Error('left')));
      }),
    take: (value) => {
      taken.push(value);
      return fresh;
    },
    onState: (state) => states.push(state),
    now: () => clock,
    sleep: async (ms, signal) => {
      waits.push(ms);
      clock += ms;
      if (ms !== endless) return;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    refresher,
    reads,
    taken,
    waits,
    states,
    settle,
    setFresh: (value: boolean) => {
      fresh = value;
    },
  };
}

describe('createRefresher', () => {
  it('reads what is wanted once, and not again for the same wish', async () => {
    const { refresher, reads, taken, states, settle } = bench();
    refresher.want('a');
    await settle();
    reads[0]?.answer('A');
    await settle();
    refresher.want('a');
    await settle();
    expect(taken).toEqual(['A']);
    expect(reads).toHaveLength(1);
    expect(states.at(-1)).toEqual({ key: 'a', pending: false, failed: false });
  });

  it('lets a read finish while newer ones are wanted, and then reads only the newest', async () => {
    const { refresher, reads, taken, settle } = bench();
    refresher.want('a');
    await settle();
    for (const key of ['b', 'c', 'd']) refresher.want(key);
    reads[0]?.answer('A');
    await settle();
    expect(reads.map((read) => read.key)).toEqual(['a', 'd']);
    expect(taken).toEqual(['A']);
  });

  it('tries again after failures, later each time, and says that it failed', async () => {
    const { refresher, reads, waits, states, settle } = bench();
    refresher.want('a');
    await settle();
    reads[0]?.fail();
    await settle();
    reads[1]?.fail();
    await settle();
    expect(states.at(-1)).toEqual({ key: 'a', pending: true, failed: true });
    expect(waits).toEqual([1_000, 2_000]);
    reads[2]?.answer('A');
    await settle();
    expect(states.at(-1)).toEqual({ key: 'a', pending: false, failed: false });
  });

  it('asks again when the answer is older than what was wanted', async () => {
    const { refresher, reads, setFresh, settle } = bench();
    setFresh(false);
    refresher.want('7');
    await settle();
    reads[0]?.answer('6');
    await settle();
    expect(reads).toHaveLength(2);
    setFresh(true);
    reads[1]?.answer('7');
    await settle();
    expect(reads).toHaveLength(2);
  });

  it('starts reads at least half a second apart', async () => {
    const { refresher, reads, waits, settle } = bench();
    refresher.want('a');
    await settle();
    reads[0]?.answer('A');
    await settle();
    refresher.want('b');
    await settle();
    expect(waits).toEqual([500]);
  });

  it('leaves a read that does not answer for another one when it is asked to', async () => {
    const { refresher, reads, taken, states, waits, settle } = bench();
    refresher.want('a');
    await settle();
    refresher.retry();
    await settle();
    expect(reads).toHaveLength(2);
    expect(waits).toEqual([]);
    expect(states.at(-1)).toMatchObject({ pending: true, failed: false });
    reads[1]?.answer('A');
    await settle();
    expect(taken).toEqual(['A']);
  });

  it('waits no longer after a failure when it is asked to', async () => {
    const { refresher, reads, states, settle } = bench(1_000);
    refresher.want('a');
    await settle();
    reads[0]?.fail();
    await settle();
    expect(reads).toHaveLength(1);
    refresher.retry();
    await settle();
    expect(reads).toHaveLength(2);
    reads[1]?.answer('A');
    await settle();
    expect(states.at(-1)).toEqual({ key: 'a', pending: false, failed: false });
  });

  it('takes nothing any more once it is stopped', async () => {
    const { refresher, reads, taken, settle } = bench();
    refresher.want('a');
    await settle();
    refresher.stop();
    reads[0]?.answer('A');
    await settle();
    expect(taken).toEqual([]);
  });
});
