import type { OpenAILike, TrackOptions } from './openai-types';
import { type TrackedClient, type Tracking, trackClient, trackCreate } from './track-client';
import type { Methods } from './view-resource';
import { watchPromise } from './watch-answer';

/**
 * Captures the usage of a client's calls: Chat Completions and Responses, streamed or not, including calls through
 * `parse`, `stream`, `runTools`, `withOptions` and the beta paths. A background response counts when
 * `responses.retrieve` returns the finished response. A raw response (`asResponse`) does not count. Works with versions
 * 4 to 7 of the `openai` package.
 *
 * @returns a view of the same client; use the view instead. Requests, answers and errors pass unchanged, except that
 * streams of Chat Completions request their usage. Reporting never throws.
 * @throws RangeError for an invalid window or thresholds.
 */
export function trackOpenAI<T extends OpenAILike>(client: T, options: TrackOptions = {}): TrackedClient<T> {
  return trackClient(client, options, (tracking) => {
    const responses = {
      create: trackCreate('responses', tracking),
      retrieve: trackRetrieve(tracking),
      cancel: trackRetrieve(tracking),
      compact: trackCreate('responses', tracking, 'side'),
    };
    const completions = { create: trackCreate('chat', tracking) };
    // In version 4, the helpers of `beta.chat` call `chat.completions`, which counts their calls.
    return { chat: { completions }, responses, beta: { responses, chat: { completions: {} } } };
  });
}

/** A retrieved response completes its own call. Responses of other calls do not count. */
function trackRetrieve({ reporter }: Tracking): Methods[string] {
  return (call, args) => {
    const record = reporter.followUp(args[0]);
    const promise = call(args);
    return record === null ? promise : watchPromise(promise, reporter.watch(record));
  };
}
