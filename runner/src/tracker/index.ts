/**
 * Tracks the context of one conversation message by message: how full it is, what it is made of, and what could be
 * removed. Reports to a session of the client, if there is one.
 */
export type { CompressionImpact, CompressionSuggestion, ToolPairs } from './compress-context';
export { ContextTracker } from './context-tracker';
export type { EventStream, SubscriberEvent, TrackerEvent, TrackerListener } from './event-emitter';
export { countCharacters } from './read-message';
export { SharedContextTracker, type SharedContextTrackerOptions } from './shared-context-tracker';
export {
  type ContextState,
  DEFAULT_TRACKER_CONFIG,
  isConcerning,
  needsReset,
  stateOfPercent,
  type TrackerConfig,
  UsageSnapshot,
} from './tracker-config';
export {
  type AddOptions,
  type AsyncTokenCounter,
  type CompressionResult,
  type ContextTrackerOptions,
  estimatingCounter,
  type ReadingReport,
  type TokenCounter,
  type TrackerSession,
  type TurnReport,
} from './tracker-options';
