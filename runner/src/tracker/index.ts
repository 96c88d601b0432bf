/**
 * Tracks the context of one conversation message by message: how full the context is, what it contains, and what could
 * be removed. Reports to a session of the client, if there is one. @module
 */

export { stateOf } from '../../../core/accounting/state';
export { DEFAULT_THRESHOLDS } from '../../../core/accounting/thresholds';
export type { Thresholds } from '../../../core/accounting/types';
export { estimateTokens } from '../../../core/tokens/estimate-tokens';
export type { ContextComposition, TokenUsage } from '../client/client-types';
export type { CompressionImpact, CompressionSuggestion, ToolPairs } from './compress-context';
export { ContextTracker } from './context-tracker';
export type { EventStream, SubscriberEvent, TrackerEvent, TrackerListener } from './event-emitter';
export { countCharacters } from './message-content';
export {
  DEFAULT_TRACKER_CONFIG,
  type OldTrackerOptions,
  stateOfPercent,
  type TrackerConfig,
} from './old-tracker-names';
export { SharedContextTracker, type SharedContextTrackerOptions } from './shared-context-tracker';
export {
  type AddOptions,
  type AsyncTokenCounter,
  type CompressionResult,
  type ContextState,
  type ContextTrackerOptions,
  createCounter,
  estimatingCounter,
  isConcerning,
  needsReset,
  type ReadingReport,
  type TokenCounter,
  type TrackerSession,
  type TurnReport,
  UsageSnapshot,
} from './tracker-options';
