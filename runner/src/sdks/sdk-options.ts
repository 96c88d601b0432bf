import type { CallScope, TrackOptions } from '../openai/openai-types';

/** Options of the wrappers for agent frameworks; each has a default. */
export interface SdkOptions
  extends Pick<
    TrackOptions,
    'session' | 'snapshot' | 'chain' | 'limit' | 'contextMaxTokens' | 'thresholds' | 'logger'
  > {
  /** `side` if the calls do not contain the conversation. Default `main`. */
  scope?: CallScope | undefined;
}
