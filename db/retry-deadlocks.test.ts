import { expect, it } from 'vitest';
import { retryDeadlocks } from './retry-deadlocks';

const failing = (error: Error, times: number) => {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= times) throw error;
    return calls;
  };
};
const withCode = (code: string) => Object.assign(new Error(code), { code });

it('runs a change of the schema again after deadlocks, also below the error of a library', async () => {
  expect(await retryDeadlocks(failing(withCode('40P01'), 9))).toBe(10);
  expect(await retryDeadlocks(failing(new Error('query', { cause: withCode('40P01') }), 1))).toBe(2);
});

it('gives up after ten deadlocks, and after any other error', async () => {
  await expect(retryDeadlocks(failing(withCode('40P01'), 10))).rejects.toThrow('40P01');
  await expect(retryDeadlocks(failing(withCode('42501'), 1))).rejects.toThrow('42501');
});
