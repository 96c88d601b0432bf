import { readField, readText } from '../usage/read-field';
import { isOfOneCall, readSession } from '../usage/read-origin';
import { findUsage, readUsage } from '../usage/read-usage';
import { isPromptTooLongMessage } from './prompt-too-long';
import type { MessageFacts } from './restart-types';

/** Messages that end a turn: Claude, Codex, opencode, OpenAI Responses. Without usage they disable tracking. */
const RESULT_TYPES: readonly string[] = ['result', 'turn.completed', 'step_finish', 'response.completed'];
/** Messages with the `usage` of a part of a turn, or of a sub-agent. */
const PARTIAL_TYPES: readonly string[] = ['assistant', 'user', 'system', 'stream_event'];

/**
 * Reads a message in the format of Claude (`session_id`, `type: "result"`), Codex (`thread_id`, `turn.completed`) or
 * opencode (`sessionID`, `step_finish`), a provider's response, or a plain object with `sessionId` and `usage`. A plain
 * object with Anthropic's usage is read as a single call.
 */
export function readAgentMessage(message: unknown): MessageFacts {
  const type = readText(message, 'type') ?? '';
  const { sessionId } = readSession(message);
  const facts: MessageFacts = {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(isPromptTooLongMessage(message) ? { isTooLong: true } : {}),
  };
  if (PARTIAL_TYPES.includes(type)) return facts;
  const found = findUsage(message) ?? null;
  if (RESULT_TYPES.includes(type)) return { ...facts, usage: found, isResult: true, ...sizeOf(message) };
  // Streams send `usage: null` with each chunk but the last.
  const usage = readField(message, 'usage') ?? readField(message, 'usageMetadata') ?? null;
  return usage === null ? facts : { ...facts, usage, ...sizeOf(message) };
}

const ASSUMED_CALL =
  'the usage of a message is read as that of a single call, so its size is the size of the context; set "lens" to ' +
  '"cumulative" if it covers several calls';

/** The size of the context after a single call. Empty for a turn of an agent, which covers several calls. */
function sizeOf(message: unknown): Pick<MessageFacts, 'contextTokens' | 'assumes'> {
  try {
    const counts = readUsage(message);
    if (counts === null || counts.contextTokens === null) return {};
    const size = { contextTokens: counts.contextTokens };
    if (isOfOneCall(message, counts)) return size;
    const isPlain = !RESULT_TYPES.includes(readText(message, 'type') ?? '');
    return isPlain && counts.vendor === 'anthropic' ? { ...size, assumes: ASSUMED_CALL } : {};
  } catch {
    // The processor refuses this usage with a reason.
    return {};
  }
}
