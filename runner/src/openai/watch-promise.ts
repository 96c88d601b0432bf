import { type CallRecord, isUsageChunk, readInto } from './call-record';
import type { CallReporter } from './call-reporter';
import { type CallWatch, isStream, type PromiseParts, type StreamParts } from './openai-types';
import { watchResponse } from './watch-response';

export function watchCall(reporter: CallReporter, record: CallRecord): CallWatch {
  return {
    see(value) {
      const isLast = reporter.attempt('a response could not be read', () => readInto(record, value));
      if (isLast === true) reporter.finish(record);
      return !(record.hidesUsageChunk && isUsageChunk(value));
    },
    end: () => reporter.finish(record),
  };
}

/**
 * Lets what a method of the client returned be watched: an `APIPromise` with all its ways (awaiting,
 * `withResponse`, `asResponse`, and what the package's own helpers derive from it), a plain promise, or a value.
 * A request that fails was no call: its error passes, and nothing is reported.
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

/**
 * The raw response is watched only where the owner reads it without having it parsed. Promises that are
 * derived from this one lead to the same response, and are treated alike.
 */
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

/** The stream stays the same object, pulls nothing of its own, and what ends it early ends it as before. */
function watchStream<T extends StreamParts>(stream: T, watch: CallWatch): T {
  // The package's stream opens all its ways (loop, tee, readable stream) by this one method.
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
    // Opening a consumed stream again throws, which does not end the first reader's call.
    if (hasSeen) watch.end();
  }
}
