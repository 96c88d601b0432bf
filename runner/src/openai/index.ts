/**
 * Context snapshots from OpenAI's APIs: `trackOpenAI` captures the usage of a client's calls, the readers take
 * single responses, and `ContextSnapshot` holds how full the context is.
 */
export type { BoundaryKind, PressureState, Thresholds } from '../../../core/accounting/types';
export type { ReadingBasis, Usage } from '../../../core/protocol/items';
export type { Logger } from '../logger';
export { UsageCountError } from '../usage/usage-count-error';
export type { SnapshotSession, SnapshotTurn } from './call-reporter';
export {
  ContextSnapshot,
  type ContextSnapshotOptions,
  GPT_4O_CONTEXT_MAX_TOKENS,
  type SnapshotReading,
} from './context-snapshot';
export { estimateTokens } from './estimate-tokens';
export type { Api, CallScope, OpenAILike } from './openai-types';
export type { CallUsage, UsageReading } from './read-usage';
export { readAgentsUsage, readChatUsage, readResponsesUsage } from './read-usage';
export { type TrackedOpenAI, type TrackedRequest, type TrackOptions, trackOpenAI } from './track-openai';
