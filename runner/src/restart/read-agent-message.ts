import { isZeroUsage } from '../../../core/agents/claude-code/message-usage';
import { countContent, readContent } from '../tracker/message-content';
import { readClientBoundary } from '../usage/client-boundary';
import { findUsage } from '../usage/find-usage';
import { readField, readPath, readText, statedOf } from '../usage/read-field';
import { isOfOneCall, readCall, readSession, readSteps } from '../usage/read-origin';
import { readUsage } from '../usage/read-usage';
import { isPromptTooLongMessage } from './prompt-too-long';
import type { MessageFacts } from './restart-types';

/** Messages that end a turn: Claude, Codex, opencode, OpenAI Responses. Without usage they disable tracking. */
const RESULT_TYPES: readonly string[] = ['result', 'turn.completed', 'step_finish', 'response.completed'];
/** Messages with the `usage` of a part of a turn or call, or of a sub-agent. */
const PARTIAL_TYPES: readonly string[] = ['assistant', 'user', 'system', 'stream_event', 'message_delta'];

/**
 * Reads a message in the format of Claude (`session_id`, `type: "result"`), Codex (`thread_id`, `turn.completed`) or
 * opencode (`sessionID`, `step_finish`), a provider's response, or a plain object with `sessionId` and `usage`. A plain
 * object with Anthropic's usage is read as a single call, and may state `goesOn`. Compactions and clears of Claude are
 * boundaries.
 */
export function readAgentMessage(message: unknown): MessageFacts {
  const type = readText(message, 'type') ?? '';
  const { sessionId } = readSession(message);
  const facts: MessageFacts = {
    ...statedOf({
      sessionId,
      goesOn: goesOnAfter(message),
      isTooLong: isPromptTooLongMessage(message) || null,
      addedTokens: addedBy(message),
      boundary: readClientBoundary(message),
    }),
  };
  if (PARTIAL_TYPES.includes(type)) return facts;
  const steps = readSteps(message)?.map((step) => ({ ...sizeOf(step), usage: findUsage(step) }));
  if (steps !== undefined) return { ...facts, ...steps.at(-1), calls: steps.slice(0, -1) };
  const found = findUsage(message) ?? null;
  if (type === 'result' && isZeroUsage(found)) return { ...facts, isResult: true };
  if (RESULT_TYPES.includes(type)) return { ...facts, usage: found, isResult: true, ...sizeOf(message) };
  // Streams send `usage: null` with each chunk but the last.
  const usages = ['usage', 'usageMetadata', 'usage_metadata'].map((name) => readField(message, name) ?? null);
  const usage = usages.find((value) => value !== null) ?? null;
  return usage === null ? facts : { ...facts, usage, ...sizeOf(message) };
}

/** Roles and types of messages that the next call contains: prompts and results of tools. */
const INPUTS: readonly (string | undefined)[] = ['user', 'tool', 'function', 'function_call_output'];

/** The estimated tokens of a message that the model has not read yet; null for any other message. */
function addedBy(message: unknown): number | null {
  const isOfMain = (readField(message, 'parent_tool_use_id') ?? null) === null;
  const kind = readText(message, 'role') ?? readText(message, 'type');
  return isOfMain && INPUTS.includes(kind) ? countContent(readContent(message)) : null;
}

/** Where messages have the reason why a call stopped: Anthropic, OpenAI, AI SDK, opencode. */
const STOP_REASONS = ['stop_reason', 'choices.0.finish_reason', 'finishReason', 'part.reason'] as const;
/** The agent runs tools and makes a further call. After other reasons it may go on with another prompt. */
const MORE = /^(tool_use|pause_turn|tool[_-]calls|function_call)$/;

function goesOnAfter(message: unknown): boolean | null {
  const stated = readField(message, 'goesOn');
  if (typeof stated === 'boolean') return stated;
  return STOP_REASONS.some((place) => MORE.test(String(readPath(message, place)))) || null;
}

const ASSUMED_CALL =
  'the usage of a message is read as that of a single call, so its size is the size of the context; set "lens" to ' +
  '"cumulative" if it covers several calls';

/** Id, model and context size of a single call. Empty for a turn of an agent, which covers several calls. */
function sizeOf(message: unknown): MessageFacts {
  try {
    const counts = readUsage(message);
    if (counts === null || counts.contextTokens === null) return {};
    const size = { contextTokens: counts.contextTokens, ...statedOf(readCall(message)) };
    if (isOfOneCall(message, counts)) return size;
    const isPlain = !RESULT_TYPES.includes(readText(message, 'type') ?? '');
    return isPlain && counts.vendor === 'anthropic' ? { ...size, assumes: ASSUMED_CALL } : {};
  } catch {
    // The processor refuses this usage with a reason.
    return {};
  }
}
