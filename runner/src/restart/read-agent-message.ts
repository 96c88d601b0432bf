import { readField, readText } from '../usage/read-field';
import { readSession } from '../usage/read-origin';
import { findUsage } from '../usage/read-usage';
import type { MessageFacts } from './restart-types';

/** Messages that end a turn: Claude, Codex, opencode, OpenAI Responses. Without usage they disable tracking. */
const RESULT_TYPES: readonly string[] = ['result', 'turn.completed', 'step_finish', 'response.completed'];
/** Messages with the `usage` of a part of a turn, or of a sub-agent. */
const PARTIAL_TYPES: readonly string[] = ['assistant', 'user', 'system', 'stream_event'];

/**
 * Reads a message in the format of Claude (`session_id`, `type: "result"`), Codex (`thread_id`, `turn.completed`) or
 * opencode (`sessionID`, `step_finish`), or a plain object with `sessionId` and `usage`.
 */
export function readAgentMessage(message: unknown): MessageFacts {
  const type = readText(message, 'type') ?? '';
  const { sessionId } = readSession(message);
  const facts = sessionId === undefined ? {} : { sessionId };
  if (RESULT_TYPES.includes(type)) return { ...facts, usage: findUsage(message) ?? null, isResult: true };
  if (PARTIAL_TYPES.includes(type)) return facts;
  // Streams send `usage: null` with each chunk but the last.
  const usage = readField(message, 'usage') ?? readField(message, 'usageMetadata') ?? null;
  return usage === null ? facts : { ...facts, usage };
}
