/**
 * Context snapshots from OpenAI's APIs: `trackOpenAI` captures the usage of a client's calls, the readers take
 * single responses, and `ContextSnapshot` states how full the context is. @module
 */
export type { BoundaryKind, PressureState, Thresholds } from '../../../core/accounting/types';
export type { ReadingBasis, Usage } from '../../../core/protocol/items';
export { estimateTokens } from '../../../core/tokens/estimate-tokens';
export type { Logger } from '../logger';
export { UsageCountError } from '../usage/usage-count-error';
export * from './context-snapshot';
export type * from './openai-types';
export type { CallUsage, UsageReading } from './read-usage';
export { readAgentsUsage, readChatUsage, readResponsesUsage } from './read-usage';
export type { TrackedClient } from './track-client';
export { trackOpenAI } from './track-openai';
