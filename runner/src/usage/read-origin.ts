import { isZeroUsage } from '../../../core/agents/claude-code/message-usage';
import { asCount, asFields, SYNTHETIC } from '../../../core/agents/fields';
import { findUsage } from './find-usage';
import { readField, readPath, readText, statedOf } from './read-field';
import { isUsage, type TurnUsage } from './read-usage';

/** Field names of a session's id, each with the client that uses the name. */
const CLIENTS: Readonly<Record<string, string>> = {
  session_id: 'claude-code',
  thread_id: 'codex',
  sessionID: 'opencode',
};
const SESSION_FIELDS = ['session_id', 'sessionId', 'sessionID', 'thread_id', 'threadId'] as const;
/** Messages with the usage of a whole turn, and messages and vendors with the usage of one call. */
const OF_TURN = /^(result|turn\.completed)$/;
const OF_CALL =
  /^(assistant|message|response(\.completed)?|step_finish|chat\.completion(\.chunk)?|event_msg|finish-step)$/;
const CALL_VENDORS = /^(openai-chat|openai-responses|gemini|langchain|opencode)$/;
/** Where a message states why its call stopped: Anthropic, Bedrock, AI SDK. */
const STOP_REASONS = ['stop_reason', 'stopReason', 'finishReason'] as const;

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
  // A command of Claude Code that made no call, such as /compact.
  if (kind === 'result' && readField(message, 'num_turns') === 0) return false;
  const usage = findUsage(message);
  if (roleOf(message) !== null && isZeroUsage(usage)) return false;
  if (usage === undefined) return ENDS.test(kind) || isUsage(message);
  return usage !== null || kind === '' || ENDS.test(kind);
}

/**
 * Creates a function that joins the events of a call in a raw stream of Anthropic: the first event has the id and the
 * input, a later one the whole output. Other messages pass unchanged.
 */
export function createEventJoiner(): (message: unknown) => unknown {
  let started: unknown = null;
  return (message) => {
    const kind = kindOf(message);
    // Its output is a placeholder, so the call counts at the later event.
    if (kind === 'message_start') started = readField(message, 'message');
    if (kind === 'message_start') return {};
    if (kind !== 'message_delta' || started === null) return message;
    const stated = statedOf(asFields(readField(message, 'usage')) ?? {});
    return {
      ...asFields(started),
      stop_reason: readPath(message, 'delta.stop_reason'),
      usage: { ...asFields(readField(started, 'usage')), ...stated },
    };
  };
}

/** `part`: a call of a turn of the Claude Agent SDK. `turn`: the result with the sum of the calls. */
export function roleOf(message: unknown): 'part' | 'turn' | null {
  const type = readText(message, 'type');
  return type === 'assistant' ? 'part' : type === 'result' ? 'turn' : null;
}

/** Whether a usage covers a single call; the size of that call is the size of the context. */
export function isOfOneCall(message: unknown, { vendor }: TurnUsage): boolean {
  const kind = kindOf(message);
  // Messages of LangChain have no type.
  const isOfLangChain = readField(message, 'usage_metadata') !== undefined;
  const hasStopped = STOP_REASONS.some((name) => (readField(message, name) ?? null) !== null);
  const isOfAiSdk = vendor === 'ai-sdk' && readPath(message, 'response.modelId') !== undefined;
  const isKnown = isOfLangChain || isOfAiSdk || hasStopped;
  return (isKnown || OF_CALL.test(kind) || CALL_VENDORS.test(vendor)) && !isOfTurn(message);
}

/** Whether a message is the result of an agent's turn, with the sum of the calls. */
export function isOfTurn(message: unknown): boolean {
  return OF_TURN.test(kindOf(message));
}

/** The steps of a result of the AI SDK, each of which is a call; null: any other message. */
export function readSteps(message: unknown): readonly unknown[] | null {
  const steps = readField(message, 'steps');
  if (!Array.isArray(steps) || steps.length < 2) return null;
  return steps.every((step) => (readField(step, 'usage') ?? null) !== null) ? steps : null;
}

/** The provider's ids of a call and of its request, and the model that answered. */
export function readCall(
  message: unknown,
): Partial<Record<'call' | 'request' | 'model', string | undefined>> {
  const kind = kindOf(message);
  const isOfAiSdk = readPath(message, 'response.modelId') !== undefined;
  const inner = { assistant: 'message', 'response.completed': 'response' }[kind] ?? (isOfAiSdk && 'response');
  const response = inner === false ? message : readField(message, inner);
  const call = readText(response, 'id') ?? readText(response, 'responseId');
  const names = ['model', 'modelVersion', 'modelId'];
  const model = names.map((name) => readText(response, name)).find((name) => name !== undefined);
  const isOwn = call !== undefined && (/^(assistant|message)$/.test(kind) || isUniqueId(call));
  return { call: isOwn ? call : undefined, request: readText(message, 'request_id'), model };
}

/** False: the server may use this id for several calls. */
export function isUniqueId(id: string): boolean {
  return !REPEATING_ID.test(id);
}

/** Window that a result of Claude states for the model with the most output, or a count of Codex, tokens. */
export function readWindow(message: unknown): number | undefined {
  const models = Object.values(readField(message, 'modelUsage') ?? {});
  const output = (model: unknown) => asCount(readField(model, 'outputTokens')) ?? 0;
  models.sort((a, b) => output(b) - output(a));
  const stated =
    readField(models[0], 'contextWindow') ?? readPath(message, `${CODEX_COUNT}.model_context_window`);
  return asCount(stated) ?? undefined;
}

/** Where a line of a Codex rollout has its counts. */
const CODEX_COUNT = 'payload.info';

/** The thread's total after a line of a Codex rollout. A line with the total of an earlier line states no new call. */
export function readThreadTotal(message: unknown): unknown {
  return readPath(message, `${CODEX_COUNT}.total_token_usage.total_tokens`);
}
