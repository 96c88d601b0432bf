/** Creates views of a provider's client that capture the usage of its calls. Views can share one unchanged client. */
import { asFields, type Fields } from '../../../core/agents/fields';
import { CallReporter } from './call-reporter';
import type { ContextSnapshot } from './context-snapshot';
import type { Api, CallScope, TrackedRequest, TrackOptions } from './openai-types';
import { TrackedCall } from './tracked-call';
import { type Methods, viewResource } from './view-resource';
import { watchPromise } from './watch-answer';

/** The client, with two additional properties. */
export type TrackedClient<T> = T & {
  /** How full the context is after the last main call. */
  readonly snapshot: ContextSnapshot;
  /** The same client for calls without the conversation: classification, titling. */
  readonly side: T;
};

export interface Tracking {
  reporter: CallReporter;
  options: TrackOptions;
}

/** @param methods returns the methods that replace those of the client, and that report to the given tracking. */
export function trackClient<T extends object>(
  client: T,
  options: TrackOptions,
  methods: (tracking: Tracking) => Methods,
): TrackedClient<T> {
  const view = (seen: T, tracking: Tracking): TrackedClient<T> => {
    const added: Record<PropertyKey, () => unknown> = {
      snapshot: () => tracking.reporter.snapshot,
      side: () => view(seen, { ...tracking, options: { ...tracking.options, scope: 'side' } }),
    };
    const extras = { added, rewrap: (copy: T) => view(copy, tracking) };
    return viewResource(seen, methods(tracking), extras) as TrackedClient<T>;
  };
  return view(client, { reporter: new CallReporter(options), options });
}

/** @param fixed scope of a compaction call, which reads the history but is not part of it. */
export function trackCreate(api: Api, tracking: Tracking, fixed?: CallScope): Methods[string] {
  const { reporter, options } = tracking;
  return (call, args) => {
    const body = asFields(args[0]);
    if (body === null) return call(args);
    const { asked, hides } = api === 'chat' ? askForUsage(body, options) : { asked: body, hides: false };
    const record = reporter.attempt(
      'a request could not be read',
      () => new TrackedCall(api, body, fixed ?? scopeOf({ api, body }, tracking), hides),
    );
    const promise = call([asked, ...args.slice(1)]);
    return record === null ? promise : watchPromise(promise, reporter.watch(record));
  };
}

/** A stream of Chat Completions reports its usage, in a separate chunk, only if the request asks for it. */
function askForUsage(body: Fields, options: TrackOptions): { asked: Fields; hides: boolean } {
  const streamOptions = asFields(body.stream_options);
  const isRefused = options.asksForUsage === false || streamOptions?.include_usage === false;
  if (body.stream !== true || isRefused) return { asked: body, hides: false };
  const hides = options.usageChunk !== 'pass' && streamOptions?.include_usage !== true;
  return { asked: { ...body, stream_options: { ...streamOptions, include_usage: true } }, hides };
}

function scopeOf(request: TrackedRequest, { reporter, options }: Tracking): CallScope {
  const { scope = 'main' } = options;
  if (typeof scope !== 'function') return scope;
  const decided = reporter.attempt('the scope of a call could not be read', () => scope(request));
  return decided === 'side' ? 'side' : 'main';
}
