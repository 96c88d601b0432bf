import { readField, readText } from '../usage/read-field';
import { findUsage } from '../usage/read-usage';
import type { MessageFacts } from './restart-types';

const SESSION_FIELDS = ['session_id', 'sessionId', 'sessionID', 'thread_id', 'threadId'] as const;
/** Messages that end a turn: Claude, Codex, opencode, OpenAI Responses. One without usage disables tracking. */
const RESULT_TYPES: ReadonlySet<string> = new Set([
  'result',
  'turn.completed',
  'step_finish',
  'response.completed',
]);
/** Messages with a `usage` that is not a turn's: a part of a turn, or a sub-agent's. */
const PARTIAL_TYPES: ReadonlySet<string> = new Set(['assistant', 'user', 'system', 'stream_event']);

/**
 * Reads a message of whoever writes them like Claude (`session_id`, `type: "result"`), Codex (`thread_id`,
 * `turn.completed`), opencode (`sessionID`, `step_finish`), or as a plain object with `sessionId` and `usage`.
 */
export function readAgentMessage(message: unknown): MessageFacts {
  const type = readText(message, 'type') ?? '';
  const sessionId = SESSION_FIELDS.map((field) => readText(message, field)).find((id) => id !== undefined);
  const facts = sessionId === undefined ? {} : { sessionId };
  if (RESULT_TYPES.has(type)) return { ...facts, usage: findUsage(message) ?? null, isResult: true };
  if (PARTIAL_TYPES.has(type)) return facts;
  // Streams state `usage: null` with each chunk until the last: not yet is not never.
  const usage = readField(message, 'usage') ?? readField(message, 'usageMetadata') ?? null;
  return usage === null ? facts : { ...facts, usage };
}
