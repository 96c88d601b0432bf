/**
 * Context snapshots of other providers and frameworks: `trackAnthropic` wraps a client, `trackQuery` wraps the Claude
 * Agent SDK, the AI SDK takes a middleware, LangChain.js takes a callback handler, and the OpenAI Agents SDK takes a
 * tracing processor. @module
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
