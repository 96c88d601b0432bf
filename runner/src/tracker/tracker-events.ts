import type { ContextState } from './context-state';

/**
 * What a tracker tells its subscribers. One step up over several lines gives `state_changed`,
 * `approaching_redline`, `redlined`, in this order; on the way down there is `state_changed` alone.
 */
export type TrackerEvent =
  | { type: 'state_changed'; from: ContextState; to: ContextState; usagePercent: number }
  /** The restart line was reached from below. */
  | { type: 'approaching_redline'; usagePercent: number }
  /** The window is full, or overshot. */
  | { type: 'redlined'; tokensUsed: number; maxTokens: number }
  | { type: 'cleared'; tokensCleared: number }
  /** `removed`: messages. */
  | { type: 'compressed'; tokensBefore: number; tokensAfter: number; removed: number };

/** What a subscriber with a buffer reads: the events, and how many of them it was too slow for. */
export type SubscriberEvent = TrackerEvent | { type: 'lagged'; lost: number };
