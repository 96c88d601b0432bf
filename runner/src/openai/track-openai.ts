/** A view of a client captures the usage of its calls. Many views can share one client, which stays unchanged. */
import { asFields } from '../../../core/agents/fields';
import { CallReporter } from './call-reporter';
import type { ContextSnapshot } from './context-snapshot';
import type { Api, CallScope, OpenAILike, TrackedRequest, TrackOptions } from './openai-types';
import { type CallWatch, TrackedCall } from './tracked-call';
import { type Methods, viewResource } from './view-resource';

/** The client, with two additional properties. */
export type TrackedOpenAI<T> = T & {
  /** How full the context is after the last main call. */
  readonly snapshot: ContextSnapshot;
  /** The same client for calls without the conversation: classification, titling. */
  readonly side: T;
};

interface Tracking {
  reporter: CallReporter;
  options: TrackOptions;
}

/**
 * Captures the usage of a client's calls: Chat Completions and Responses, streamed or not, including calls through
 * `parse`, `stream`, `runTools` and `withOptions`. A background response counts when `responses.retrieve` returns the
 * finished response. A raw response (`asResponse`) does not count.
 *
 * @returns a view of the same client; use the view instead. Requests, answers and errors pass unchanged, except that
 * streams of Chat Completions request their usage. Reporting never throws.
 * @throws RangeError for an invalid window or thresholds.
 */
export function trackOpenAI<T extends OpenAILike>(client: T, options: TrackOptions = {}): TrackedOpenAI<T> {
  return viewClient(client, { reporter: new CallReporter(options), options });
}

function viewClient<T extends OpenAILike>(client: T, tracking: Tracking): TrackedOpenAI<T> {
  const added: Record<PropertyKey, () => unknown> = {
    snapshot: () => tracking.reporter.snapshot,
    side: () => viewClient(client, { ...tracking, options: { ...tracking.options, scope: 'side' } }),
  };
  const responses = {
    create: trackCreate('responses', tracking),
    retrieve: trackRetrieve(tracking),
    cancel: trackRetrieve(tracking),
    compact: trackCreate('responses', tracking, 'side'),
  };
  return viewResource(
    client,
    { chat: { completions: { create: trackCreate('chat', tracking) } }, responses, beta: { responses } },
    { added, rewrap: (copy) => viewClient(copy, tracking) },
  ) as TrackedOpenAI<T>;
}

/** @param fixed scope of a compaction call, which reads the history but does not become part of the history. */
function trackCreate(api: Api, tracking: Tracking, fixed?: CallScope): Methods[string] {
  const { reporter, options } = tracking;
  return (call, args) => {
    const body = asFields(args[0]);
    if (body === null) return call(args);
    const streamOptions = asFields(body.stream_options);
    const isRefused = options.asksForUsage === false || streamOptions?.include_usage === false;
    const asks = api === 'chat' && body.stream === true && !isRefused;
    const hides = asks && options.usageChunk !== 'pass' && streamOptions?.include_usage !== true;
    const record = reporter.attempt(
      'a request could not be read',
      () => new TrackedCall(api, body, fixed ?? scopeOf({ api, body }, tracking), hides),
    );
    const asked = asks ? { ...body, stream_options: { ...streamOptions, include_usage: true } } : body;
    const promise = call([asked, ...args.slice(1)]);
    return record === null ? promise : watchPromise(promise, reporter.watch(record));
  };
}

/** A retrieved response completes its own call. Responses of other calls do not count. */
function trackRetrieve({ reporter }: Tracking): Methods[string] {
  return (call, args) => {
    const record = reporter.followUp(args[0]);
    const promise = call(args);
    return record === null ? promise : watchPromise(promise, reporter.watch(record));
  };
}

function scopeOf(request: TrackedRequest, { reporter, options }: Tracking): CallScope {
  const { scope = 'main' } = options;
  if (typeof scope !== 'function') return scope;
  const decided = reporter.attempt('the scope of a call could not be read', () => scope(request));
  return decided === 'side' ? 'side' : 'main';
}

/** The methods of the package's `APIPromise` and `Stream` that are used here; other clients may lack them. */
interface PromiseParts {
  _thenUnwrap?(transform: (data: unknown) => unknown): object;
  then?(transform: (data: unknown) => unknown): unknown;
}
interface StreamParts {
  iterator?(): AsyncIterator<unknown>;
  [Symbol.asyncIterator](): AsyncIterator<unknown>;
}

/**
 * Watches what a method of the client returned: an `APIPromise`, a plain promise, or a value. A failed request passes
 * its error to the caller, and nothing is reported.
 */
function watchPromise(promise: unknown, watch: CallWatch): unknown {
  if (typeof promise !== 'object' || promise === null) return promise;
  const pass = (data: unknown) => watchData(data, watch);
  const parts: PromiseParts = promise;
  // Keeps `withResponse` and `asResponse`.
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
