import { asCount, SYNTHETIC } from '../../../core/agents/fields';
import { readField, readPath, readText } from './read-field';
import { findUsage, isUsage, type TurnUsage } from './read-usage';

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

/** Messages without usage of the main chain. A `system` message may have the usage of a sub-agent. */
const NO_REPORT = /^(system|user|stream_event)$/;
/** Messages that end a call or a turn: if they have no usage, the provider reported none. */
const ENDS = /^(result|turn\.completed|step_finish|message|response(\.completed)?|chat\.completion)$/;
/** Matches ids such as `chatcmpl-417`. Ollama picks one of 999 numbers, so its ids repeat within a session. */
const REPEATING_ID = /^(?:\D*[-_])?\d{1,4}$/;

const kindOf = (message: unknown): string => readText(message, 'object') ?? readText(message, 'type') ?? '';

/**
 * Whether a message reports the usage of this chain, or shows that the provider reported none. Other messages are texts,
 * tool results, parts of a stream, messages of sub-agents, and messages that the client wrote itself.
 */
export function isReport(message: unknown): boolean {
  if (message === null || message === undefined) return true;
  const kind = kindOf(message);
  const isOfOther = (readField(message, 'parent_tool_use_id') ?? null) !== null;
  if (isOfOther || NO_REPORT.test(kind) || readPath(message, 'message.model') === SYNTHETIC) return false;
  const usage = findUsage(message);
  if (usage === undefined) return ENDS.test(kind) || isUsage(message);
  return usage !== null || kind === '' || ENDS.test(kind);
}

/** `part`: a call of a turn of the Claude Agent SDK. `turn`: the result with the sum of the calls. */
export function roleOf(message: unknown): 'part' | 'turn' | null {
  const type = readText(message, 'type');
  return type === 'assistant' ? 'part' : type === 'result' ? 'turn' : null;
}

/** Whether a usage covers a single call; the size of that call is the size of the context. */
export function isOfOneCall(message: unknown, { vendor }: TurnUsage): boolean {
  const kind = kindOf(message);
  return !OF_TURN.test(kind) && (OF_CALL.test(kind) || CALL_VENDORS.test(vendor));
}

/** The provider's id of a call, and the model that answered. */
export function readCall(message: unknown): { call?: string | undefined; model?: string | undefined } {
  const kind = kindOf(message);
  const inner = { assistant: 'message', 'response.completed': 'response' }[kind];
  const response = inner === undefined ? message : readField(message, inner);
  const call = readText(response, 'id') ?? readText(response, 'responseId');
  const model = readText(response, 'model') ?? readText(response, 'modelVersion');
  const isOwn = call !== undefined && (/^(assistant|message)$/.test(kind) || isUniqueId(call));
  return { call: isOwn ? call : undefined, model };
}

/** False: the server may use this id for several calls. */
export function isUniqueId(id: string): boolean {
  return !REPEATING_ID.test(id);
}

/** Window that a result of Claude states for the model with the most output, tokens. */
export function readWindow(result: unknown): number | undefined {
  const models = Object.values(readField(result, 'modelUsage') ?? {});
  const output = (model: unknown) => asCount(readField(model, 'outputTokens')) ?? 0;
  models.sort((a, b) => output(b) - output(a));
  return asCount(readField(models[0], 'contextWindow')) ?? undefined;
}
