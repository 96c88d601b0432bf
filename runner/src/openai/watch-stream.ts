import type { StreamParts } from './openai-types';
import type { CallWatch } from './watch-call';

/**
 * Lets a stream be watched while its owner reads it. It stays the same object, pulls nothing of its own, and
 * what ends it early (a break, an abort, an error) ends it as before.
 */
export function watchStream<T extends StreamParts>(stream: T, watch: CallWatch): T {
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
    // Who opens a consumed stream anew gets an error, which says nothing about the first reader's call.
    if (hasSeen) watch.end();
  }
}
