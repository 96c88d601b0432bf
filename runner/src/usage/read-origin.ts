import { readPath, readText } from './read-field';
import type { TurnUsage } from './read-usage';

/** Names of a session's id, each with the client that uses this name. */
const SESSION_FIELDS = [
  ['session_id', 'claude-code'],
  ['thread_id', 'codex'],
  ['sessionID', 'opencode'],
  ['sessionId', undefined],
  ['threadId', undefined],
] as const;
/** Messages with the usage of one call. The other messages of a stream have the usage of a turn, or none. */
const CALL_TYPES =
  'assistant message response response.completed step_finish chat.completion chat.completion.chunk';
const TURN_TYPES = 'result turn.completed';
/** Vendors that report the usage of one call, whose input is the whole prompt. */
const CALL_VENDORS = 'openai-chat openai-responses gemini opencode';

/** The client and the client's own id of the session that a message belongs to. */
export function readSession(message: unknown): { sessionId?: string; client?: string | undefined } {
  for (const [field, client] of SESSION_FIELDS) {
    const sessionId = readText(message, field);
    if (sessionId !== undefined) return { sessionId, client };
  }
  return {};
}

/** Whether a usage covers a single call; the size of that call is the size of the context. */
export function isOfOneCall(message: unknown, { vendor }: TurnUsage): boolean {
  const type = readText(message, 'object') ?? readText(message, 'type') ?? '';
  if (TURN_TYPES.split(' ').includes(type)) return false;
  return CALL_TYPES.split(' ').includes(type) || CALL_VENDORS.split(' ').includes(vendor);
}

/** Anthropic's id of the call, as a transcript has it: in a message, or in the `assistant` message of the Agent SDK. */
export function readCallId(message: unknown): string | undefined {
  const path = { message: 'id', assistant: 'message.id' }[readText(message, 'type') ?? ''];
  const id = path && readPath(message, path);
  return typeof id === 'string' && id !== '' ? id : undefined;
}
