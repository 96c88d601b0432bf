/** Watches the return value of a client's method. The caller gets the same classes of promise and stream. */
import type { CallWatch } from './tracked-call';

/** Methods of the package's `APIPromise` and `Stream`. Other clients may lack them. */
interface PromiseParts {
  _thenUnwrap?(transform: (data: unknown) => unknown): object;
  then?(transform: (data: unknown) => unknown): unknown;
}
interface StreamParts {
  iterator?(): AsyncIterator<unknown>;
  [Symbol.asyncIterator](): AsyncIterator<unknown>;
}

/**
 * Watches an `APIPromise`, a plain promise, or a value. If the request fails, the caller gets the error, and no call is
 * reported.
 */
export function watchPromise(promise: unknown, watch: CallWatch): unknown {
  if (typeof promise !== 'object' || promise === null) return promise;
  const pass = (data: unknown) => watchData(data, watch);
  const parts: PromiseParts = promise;
  // The result of `_thenUnwrap` also has `withResponse` and `asResponse`.
  if (typeof parts._thenUnwrap === 'function') return parts._thenUnwrap(pass);
  return typeof parts.then === 'function' ? parts.then(pass) : pass(promise);
}

function watchData(data: unknown, watch: CallWatch): unknown {
  if (typeof data === 'object' && data !== null && Symbol.asyncIterator in data) {
    return watchStream(data as StreamParts, watch);
  }
  watch.see(data);
  watch.end();
  return data;
}

/** Watches a stream in place. The stream still reads nothing ahead, and callers can still end it early. */
function watchStream(stream: StreamParts, watch: CallWatch): StreamParts {
  // The package's stream uses this method for loops, tees and readable streams.
  const name = typeof stream.iterator === 'function' ? 'iterator' : Symbol.asyncIterator;
  const open = stream[name];
  if (open === undefined) return stream;
  const value = () => watchIterator(() => Reflect.apply(open, stream, []), watch);
  return Object.defineProperty(stream, name, { configurable: true, enumerable: true, writable: true, value });
}

async function* watchIterator(
  open: () => AsyncIterator<unknown>,
  watch: CallWatch,
): AsyncGenerator<unknown, void, undefined> {
  let hasSeen = false;
  try {
    for await (const value of { [Symbol.asyncIterator]: open }) {
      hasSeen = true;
      if (watch.see(value)) yield value;
    }
  } finally {
    // Opening a consumed stream again throws, but the first reader may still be reading.
    if (hasSeen) watch.end();
  }
}
