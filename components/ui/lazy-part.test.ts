import { describe, expect, it } from 'vitest';
import { insist } from './lazy-part';

describe('a part that is loaded once it is needed', () => {
  it('is asked for again until it comes, with longer waits', async () => {
    const waits: number[] = [];
    let asked = 0;
    const load = () => {
      asked += 1;
      return asked < 8 ? Promise.reject(new Error('ChunkLoadError')) : Promise.resolve('part');
    };
    const wait = async (ms: number) => {
      waits.push(ms);
    };
    await expect(insist(load, wait)).resolves.toBe('part');
    expect(waits).toEqual([500, 1_000, 2_000, 5_000, 10_000, 10_000, 10_000]);
  });

  it('that never loads fails after some minutes with the last error', async () => {
    let waited = 0;
    const wait = async (ms: number) => {
      waited += ms;
    };
    await expect(insist(() => Promise.reject(new Error('gone')), wait)).rejects.toThrow('gone');
    expect(waited / 60_000).toBeGreaterThan(4);
    expect(waited / 60_000).toBeLessThan(6);
  });
});
