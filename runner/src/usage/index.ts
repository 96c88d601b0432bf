/**
 * How full a context is: exact sums of each turn's usage in any vendor's shape, with an error at the restart line.
 * Works with or without a server. @module
 */

export {
  hasRoomFor,
  isConcerning,
  needsReset,
  stateOf,
  tokensRemaining,
  tokensUntil,
} from '../../../core/accounting/state';
export { DEFAULT_THRESHOLDS, isNever, resolveThresholds } from '../../../core/accounting/thresholds';
export type { PressureState, Thresholds } from '../../../core/accounting/types';
export type { LensName, ReadingBasis } from '../../../core/protocol/items';
export type { Logger } from '../logger';
export * from './context-usage';
export { findUsage } from './find-usage';
export type * from './processor-types';
export {
  type ReadUsageOptions,
  readUsage,
  type TurnUsage,
  USAGE_VENDORS,
  type UsageCounts,
  type UsageVendor,
} from './read-usage';
export { type CountField, UsageCountError } from './usage-count-error';
export * from './usage-processor';
export * from './usage-session';
