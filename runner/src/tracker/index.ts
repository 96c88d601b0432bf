/**
 * Tracks the context of one conversation message by message: how full the context is, what it contains, and what could
 * be removed. Reports to a session of the client, if there is one. @module
 */

export { estimateTokens } from '../../../core/tokens/estimate-tokens';
export type { CompressionImpact, CompressionSuggestion, ToolPairs } from './compress-context';
export { ContextTracker } from './context-tracker';
export type { EventStream, SubscriberEvent, TrackerEvent, TrackerListener } from './event-emitter';
export { countCharacters } from './message-content';
export { SharedContextTracker, type SharedContextTrackerOptions } from './shared-context-tracker';
export {
  type AddOptions,
  type AsyncTokenCounter,
  type CompressionResult,
  type ContextState,
  type ContextTrackerOptions,
  createCounter,
  DEFAULT_TRACKER_CONFIG,
  estimatingCounter,
  isConcerning,
  needsReset,
  type ReadingReport,
  stateOfPercent,
  type TokenCounter,
  type TrackerConfig,
  type TrackerSession,
  type TurnReport,
  UsageSnapshot,
} from './tracker-options';
