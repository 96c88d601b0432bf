/**
 * Runs any agent through as many contexts as its work needs: at the restart line the full session writes a
 * checkpoint, and a fresh session continues from the checkpoint. Works with or without a server. @module
 */
export { ContextPressureError, ContextUsage } from '../usage/context-usage';
export { type ClaudeAgentOptions, type ClaudeQuery, createClaudeAgent } from './claude-agent';
export { EndlessRestartError } from './endless-restart-error';
export { extractCheckpoint } from './extract-checkpoint';
export type {
  ModelAgentOptions,
  ModelMessage,
  ToolCall,
  ToolContext,
} from './model-agent';
export { isPromptTooLong, PromptTooLongError } from './prompt-too-long';
export * from './prompts';
export {
  type AiSdkAgentOptions,
  type AnthropicAgentOptions,
  createAiSdkAgent,
  createAnthropicAgent,
  createOpenAIAgent,
  type OpenAIAgentOptions,
} from './provider-agents';
export { readAgentMessage } from './read-agent-message';
export { runWithRestarts, streamWithRestarts } from './restart-loop';
export type * from './restart-types';
