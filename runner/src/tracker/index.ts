/**
 * Tracks the context of one conversation message by message: how full it is, what it is made of, what could be
 * taken out of it. Works alone; with a session of the client it reports.
 */
export {
  type ContextState,
  isConcerning,
  needsReset,
  stateOfPercent,
} from './context-state';
export { ContextTracker } from './context-tracker';
export { countCharacters } from './count-characters';
export type { TrackerListener } from './event-emitter';
export type { EventStream } from './event-subscription';
export type { ToolPairs } from './plan-compression';
export type { ReadingReport, TrackerSession, TurnReport } from './report-context';
export { SharedContextTracker, type SharedContextTrackerOptions } from './shared-context-tracker';
export type { CompressionImpact, CompressionSuggestion } from './suggest-compression';
export { type AsyncTokenCounter, estimatingCounter, type TokenCounter } from './token-counter';
export { DEFAULT_TRACKER_CONFIG, type TrackerConfig } from './tracker-config';
export type { SubscriberEvent, TrackerEvent } from './tracker-events';
export type { AddOptions, CompressionResult, ContextTrackerOptions } from './tracker-options';
export { UsageSnapshot } from './usage-snapshot';
