import { readPath, readText } from './read-field';
import type { TurnUsage } from './read-usage';

/** Field names of a session's id, each with the client that uses the name. */
const CLIENTS: Readonly<Record<string, string>> = {
  session_id: 'claude-code',
  thread_id: 'codex',
  sessionID: 'opencode',
};
const SESSION_FIELDS = ['session_id', 'sessionId', 'sessionID', 'thread_id', 'threadId'] as const;
/** Messages with the usage of a whole turn, and messages and vendors with the usage of one call. */
const OF_TURN = /^(result|turn\.completed)$/;
const OF_CALL = /^(assistant|message|response(\.completed)?|step_finish|chat\.completion(\.chunk)?)$/;
const CALL_VENDORS = /^(openai-chat|openai-responses|gemini|opencode)$/;

/** The client and the client's own id of the session that a message belongs to. */
export function readSession(message: unknown): {
  sessionId?: string | undefined;
  client?: string | undefined;
} {
  const field = SESSION_FIELDS.find((name) => readText(message, name) !== undefined);
  return field === undefined ? {} : { sessionId: readText(message, field), client: CLIENTS[field] };
}

/** Whether a usage covers a single call; the size of that call is the size of the context. */
export function isOfOneCall(message: unknown, { vendor }: TurnUsage): boolean {
  const type = readText(message, 'object') ?? readText(message, 'type') ?? '';
  return !OF_TURN.test(type) && (OF_CALL.test(type) || CALL_VENDORS.test(vendor));
}

/** Anthropic's id of the call, as a transcript has it: in a message, or in the `assistant` message of the Agent SDK. */
export function readCallId(message: unknown): string | undefined {
  const id = { message: readPath(message, 'id'), assistant: readPath(message, 'message.id') };
  return readText(id, readText(message, 'type') ?? '');
}
