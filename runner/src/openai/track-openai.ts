/**
 * A view of a client of the `openai` package that captures the usage of its calls. The client itself stays
 * untouched, so one client can serve many sessions, each through a view of its own.
 */

import { asFields } from '../../../core/agents/fields';
import type { Logger } from '../logger';
import { CallRecord } from './call-record';
import { CallReporter, type SnapshotSession } from './call-reporter';
import { ContextSnapshot, type ContextSnapshotOptions } from './context-snapshot';
import type { Api, CallScope, OpenAILike } from './openai-types';
import { type Methods, viewResource } from './view-resource';
import { watchCall, watchPromise } from './watch-promise';

/** A request as the owner made it. */
export interface TrackedRequest {
  /** Which of the two APIs it goes to. */
  api: Api;
  /** The request's body, as the owner passed it. */
  body: Readonly<Record<string, unknown>>;
}

/** Options of `trackOpenAI`; each has a default. */
export interface TrackOptions extends ContextSnapshotOptions {
  /** Where turns are reported: a `RunnerSession`. Without one, the snapshot alone is kept. */
  session?: SnapshotSession | undefined;
  /** A snapshot to share, as between two providers of one conversation. Default: one of its own. */
  snapshot?: ContextSnapshot | undefined;
  /** Chain of the calls, such as a sub-agent's name. Default: the main chain. */
  chain?: string | undefined;
  /**
   * Which calls carry the conversation. `side`: none of them. A function decides for each request; where it
   * throws, the call counts as main. Default `main`.
   */
  scope?: CallScope | ((request: TrackedRequest) => CallScope) | undefined;
  /**
   * Whether streams of Chat Completions are asked for their usage (`stream_options.include_usage`). Default true. A
   * request that says `include_usage: false` itself is not asked.
   */
  asksForUsage?: boolean | undefined;
  /**
   * The extra last chunk that states the usage has no choices, which loops that did not ask for it may not
   * expect. `hide`: they do not get it. `pass`: they do. A request that asked for it always gets it. Default `hide`.
   */
  usageChunk?: 'hide' | 'pass' | undefined;
  /** Whether a size is estimated where the provider states no usage. Default true. */
  estimates?: boolean | undefined;
  /** Gets a line where something could not be reported or read. Default: none. */
  logger?: Logger | undefined;
}

/** The client, with two names more. */
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
 * Captures the usage of a client's calls: Chat Completions and Responses, streamed or not, also by `parse`,
 * `stream`, `runTools`, `withOptions`, and in the background once `responses.retrieve` brings the answer.
 *
 * @returns a view of the same client, used in its place. Requests, answers and errors pass unchanged, except
 * that streams of Chat Completions are asked for their usage. Reporting never throws.
 * @throws RangeError for a window or thresholds that make no sense.
 */
export function trackOpenAI<T extends OpenAILike>(client: T, options: TrackOptions = {}): TrackedOpenAI<T> {
  const { session = null, chain = null, estimates = true, logger } = options;
  const snapshot = options.snapshot ?? new ContextSnapshot(options);
  const reporter = new CallReporter({ session, snapshot, chain, estimates, logger });
  return viewClient(client, { reporter, options });
}

function viewClient<T extends OpenAILike>(client: T, tracking: Tracking): TrackedOpenAI<T> {
  const added: Record<PropertyKey, () => unknown> = {
    snapshot: () => tracking.reporter.snapshot,
    side: () => viewClient(client, { ...tracking, options: { ...tracking.options, scope: 'side' } }),
  };
  const chat = trackCreate('chat', tracking);
  const responses = {
    create: trackCreate('responses', tracking),
    retrieve: trackRetrieve(tracking),
    cancel: trackRetrieve(tracking),
    compact: trackCreate('responses', tracking, 'side'),
  };
  const completions = { create: chat, retrieve: trackRetrieve(tracking) };
  return viewResource(
    client,
    { chat: { completions }, responses, beta: { responses } },
    { added, rewrap: (copy) => viewClient(copy, tracking) },
  ) as TrackedOpenAI<T>;
}

/** @param fixed scope of a call that can have no other: a compaction reads the history without being part of it. */
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
      () => new CallRecord(api, body, fixed ?? scopeOf({ api, body }, tracking), hides),
    );
    const asked = asks ? { ...body, stream_options: { ...streamOptions, include_usage: true } } : body;
    const promise = call([asked, ...args.slice(1)]);
    return record === null ? promise : watchPromise(promise, watchCall(reporter, record));
  };
}

/** What is asked for again completes the call that it belongs to; of any other response nothing is counted. */
function trackRetrieve({ reporter }: Tracking): Methods[string] {
  return (call, args) => {
    const record = reporter.followUp(args[0]);
    const promise = call(args);
    return record === null ? promise : watchPromise(promise, watchCall(reporter, record));
  };
}

function scopeOf(request: TrackedRequest, { reporter, options }: Tracking): CallScope {
  const { scope = 'main' } = options;
  if (typeof scope !== 'function') return scope;
  const decided = reporter.attempt('the scope of a call could not be read', () => scope(request));
  return decided === 'side' ? 'side' : 'main';
}
