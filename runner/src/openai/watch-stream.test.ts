import { expect, test } from 'vitest';
import { type CallWatch, watchPromise } from './watch-promise';

function recordingWatch(isKept: (value: unknown) => boolean = () => true) {
  const seen: unknown[] = [];
  let ends = 0;
  const watch: CallWatch = {
    see(value) {
      seen.push(value);
      return isKept(value);
    },
    end() {
      ends += 1;
    },
  };
  return { watch, seen, ends: () => ends };
}

const watchStream = <T extends object>(stream: T, watch: CallWatch) => watchPromise(stream, watch) as T;

function countingStream(values: readonly number[]) {
  const pulls: number[] = [];
  return {
    pulls,
    async *[Symbol.asyncIterator]() {
      for (const value of values) {
        pulls.push(value);
        yield value;
      }
    },
  };
}

test('nothing is pulled that the owner has not asked for', async () => {
  const stream = countingStream([1, 2, 3]);
  const iterator = watchStream(stream, recordingWatch().watch)[Symbol.asyncIterator]();
  expect(stream.pulls).toEqual([]);
  await iterator.next();
  expect(stream.pulls).toEqual([1]);
  await iterator.next();
  expect(stream.pulls).toEqual([1, 2]);
});

test('a value that is hidden costs one pull more, and the owner gets the next one', async () => {
  const stream = countingStream([1, 2, 3]);
  const { watch, seen } = recordingWatch((value) => value !== 2);
  const got: unknown[] = [];
  for await (const value of watchStream(stream, watch)) got.push(value);
  expect(got).toEqual([1, 3]);
  expect(seen).toEqual([1, 2, 3]);
});

test('the stream stays the same object', () => {
  const stream = countingStream([]);
  expect(watchStream(stream, recordingWatch().watch)).toBe(stream);
});

test('ends once, at the last value, a break or an error', async () => {
  const whole = recordingWatch();
  for await (const _value of watchStream(countingStream([1, 2]), whole.watch));
  const left = recordingWatch();
  for await (const _value of watchStream(countingStream([1, 2]), left.watch)) break;
  const torn = recordingWatch();
  const failing = {
    async *[Symbol.asyncIterator]() {
      yield 1;
      throw new Error('torn');
    },
  };
  const read = async () => {
    for await (const _value of watchStream(failing, torn.watch));
  };
  await expect(read()).rejects.toThrow('torn');
  expect([whole.ends(), left.ends(), torn.ends()]).toEqual([1, 1, 1]);
});

test('the method that every way of reading opens the stream by is the one that is watched', async () => {
  const stream = {
    iterator: () => countingStream([1, 2])[Symbol.asyncIterator](),
    [Symbol.asyncIterator]() {
      return this.iterator();
    },
  };
  const { watch, seen } = recordingWatch();
  for await (const _value of watchStream(stream, watch));
  expect(seen).toEqual([1, 2]);
});
