/** What the tracker has to know of a message, whichever vendor's it is: its role, and which tool calls it is tied to. */
import { type Fields, isFields, listOf, textOf, unwrapMessage } from './message-fields';

export interface MessageTraits {
  /**
   * `system`, `user`, `assistant`, `tool`, or what the message itself says. `developer` is `system`, `model` is
   * `assistant`, `function` is `tool`, and so is a user message of Anthropic's that holds tool results alone.
   */
  role: string;
  /** Ids of the tool calls it makes. */
  calls: readonly string[];
  /** Ids of the tool calls it answers. */
  answers: readonly string[];
  /** It answers a call of the message before it, and has no id that says so. */
  answersPrevious: boolean;
  /** The vendor takes what follows it from the same speaker only together with it (OpenAI's reasoning items). */
  leadsOn: boolean;
}

const ROLES: Readonly<Record<string, string>> = {
  developer: 'system',
  model: 'assistant',
  function: 'tool',
};

export function describeMessage(message: object): MessageTraits {
  const fields = unwrapMessage(message);
  const type = textOf(fields.type) ?? '';
  const parts = [...listOf(fields.content), ...listOf(fields.parts)];
  const answers: string[] = [];
  const calls: string[] = [];
  let results = 0;
  let unnamed = 0;

  for (const call of listOf(fields.tool_calls)) pushId(calls, call.id);
  if (isAnswer(type, fields)) {
    pushId(answers, fields.tool_call_id ?? fields.call_id);
    if (answers.length === 0) unnamed += 1;
  } else {
    pushId(calls, fields.call_id);
  }
  for (const part of parts) {
    const response = isFields(part.functionResponse) ? part.functionResponse : null;
    const partType = textOf(part.type) ?? '';
    if (partType.endsWith('tool_result') || partType === 'tool-result' || response) {
      results += 1;
      const before = answers.length;
      pushId(answers, part.tool_use_id ?? part.toolCallId ?? response?.id);
      if (answers.length === before) unnamed += 1;
    } else if (partType.endsWith('tool_use') || partType === 'tool-call') {
      pushId(calls, part.id ?? part.toolCallId);
    } else if (isFields(part.functionCall)) {
      pushId(calls, part.functionCall.id);
    }
  }

  const spoken = roleOf(fields, type);
  const isToolOnly = spoken === 'user' && results > 0 && results === countParts(fields);
  return {
    role: isToolOnly ? 'tool' : spoken,
    calls,
    answers,
    answersPrevious: unnamed > 0,
    leadsOn: type === 'reasoning' && textOf(fields.role) === null,
  };
}

function roleOf(fields: Fields, type: string): string {
  const role = textOf(fields.role);
  if (role !== null) return ROLES[role] ?? role;
  if (type.endsWith('_output')) return 'tool';
  if (type.endsWith('_call') || type === 'reasoning') return 'assistant';
  return 'unknown';
}

/** OpenAI's `tool` and `function` messages, and the `…_output` items of its Responses API. */
function isAnswer(type: string, fields: Fields): boolean {
  return fields.role === 'tool' || fields.role === 'function' || type.endsWith('_output');
}

function countParts(fields: Fields): number {
  if (textOf(fields.content) !== null) return Number.POSITIVE_INFINITY;
  const lists = [fields.content, fields.parts].filter((list) => Array.isArray(list));
  return lists.reduce((sum, list) => sum + list.length, 0);
}

function pushId(ids: string[], id: unknown): void {
  const text = textOf(id);
  if (text !== null) ids.push(text);
}
