import { type CallWatch, isStream, type PromiseParts, type StreamParts } from './openai-types';
import { watchResponse } from './watch-response';

/**
 * Watches what a method of the client returned: an `APIPromise` in all its uses (awaiting, `withResponse`, `asResponse`,
 * and the package's own helpers), a plain promise, or a value. The error of a failed request passes, and nothing is
 * reported.
 */
export function watchPromise(promise: unknown, watch: CallWatch): unknown {
  if (typeof promise !== 'object' || promise === null) return promise;
  const pass = (data: unknown) => watchData(data, watch);
  const { _thenUnwrap: derive }: PromiseParts = promise;
  if (typeof derive === 'function') return watchRaw(derive.call(promise, pass), watch);
  if ('then' in promise && typeof promise.then === 'function') return promise.then(pass);
  return pass(promise);
}

function watchData(data: unknown, watch: CallWatch): unknown {
  if (isStream(data)) return watchStream(data, watch);
  watch.see(data);
  watch.end();
  return data;
}

/** Watches the raw response, unless the package parses it too. Derived promises share that response. */
function watchRaw(promise: object, watch: CallWatch, shared = { isParsed: false }): object {
  const { parse, asResponse, _thenUnwrap: derive }: PromiseParts = promise;
  if (typeof parse !== 'function' || typeof asResponse !== 'function' || typeof derive !== 'function') {
    return promise;
  }
  return Object.defineProperties(promise, {
    parse: hidden(() => {
      shared.isParsed = true;
      return parse.call(promise);
    }),
    asResponse: hidden(async () => {
      const response = await asResponse.call(promise);
      return shared.isParsed ? response : watchResponse(response, watch);
    }),
    _thenUnwrap: hidden((transform: (data: unknown) => unknown) =>
      watchRaw(derive.call(promise, transform), watch, shared),
    ),
  });
}

function hidden(value: unknown): PropertyDescriptor {
  return { value, configurable: true, writable: true, enumerable: false };
}

/** Watches a stream in place. It reads nothing ahead, and ends early as before. */
function watchStream<T extends StreamParts>(stream: T, watch: CallWatch): T {
  // The package's stream uses this method for loops, tees and readable streams.
  const name = typeof stream.iterator === 'function' ? 'iterator' : Symbol.asyncIterator;
  const open = stream[name];
  if (open === undefined) return stream;
  Object.defineProperty(stream, name, {
    configurable: true,
    enumerable: true,
    writable: true,
    value: () => watchIterator(() => Reflect.apply(open, stream, []), watch),
  });
  return stream;
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
