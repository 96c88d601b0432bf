/**
 * Context snapshots of other providers and frameworks. `trackAnthropic` and `trackQuery` wrap Anthropic's SDKs. The AI
 * SDK takes a middleware, LangChain.js a callback handler, and the OpenAI Agents SDK a tracing processor. @module
 */
export { ContextSnapshot } from '../openai/context-snapshot';
export type { SnapshotSession, TrackOptions } from '../openai/openai-types';
export type { TrackedClient } from '../openai/track-client';
export { type AiSdkMiddleware, createAiSdkMiddleware } from './ai-sdk';
export { type QueryOptions, trackQuery } from './claude-agent';
export { createLangChainHandler, type LangChainHandler } from './langchain';
export { type AgentsOptions, type AgentsProcessor, createAgentsProcessor } from './openai-agents';
export type { SdkOptions } from './sdk-options';
export { type AnthropicLike, trackAnthropic } from './track-anthropic';
