import type { TrackOptions } from '../openai/openai-types';
import { type TrackedClient, trackClient, trackCreate } from '../openai/track-client';

/** A client of `@anthropic-ai/sdk`, or of Anthropic's packages for Bedrock, Vertex and other platforms. */
export interface AnthropicLike {
  /** The resource with `create`. */
  readonly messages: {
    /** Makes a call to the Messages API. */
    create(...args: never[]): unknown;
  };
}

/**
 * Captures the usage of a client's calls to the Messages API, streamed or not, including calls through `stream`,
 * `parse`, `toolRunner`, `withOptions` and `beta.messages`. Requests that count tokens, batches and raw responses
 * (`asResponse`) do not count. A stream that ends early counts with the usage that it reported before its end. Works with
 * versions 0.50 to 1 of `@anthropic-ai/sdk`.
 *
 * @returns a view of the same client; use the view instead. Requests, answers and errors pass unchanged. Reporting never
 * throws.
 * @throws RangeError for an invalid window or thresholds.
 */
export function trackAnthropic<T extends AnthropicLike>(
  client: T,
  options: TrackOptions = {},
): TrackedClient<T> {
  return trackClient(client, options, (tracking) => {
    const messages = { create: trackCreate('messages', tracking) };
    return { messages, beta: { messages } };
  });
}
