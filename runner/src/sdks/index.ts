/**
 * Context snapshots of other providers: `trackAnthropic` captures the usage of a client's calls. @module
 */
export { ContextSnapshot } from '../openai/context-snapshot';
export type { TrackOptions } from '../openai/openai-types';
export type { TrackedClient } from '../openai/track-client';
export { type AnthropicLike, trackAnthropic } from './track-anthropic';
