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
  /** It makes, or answers, a call that has no id. */
  callsUnnamed: boolean;
  answersUnnamed: boolean;
  /** The vendor takes what follows it from the same speaker only together with it (OpenAI's reasoning items). */
  leadsOn: boolean;
}

const ROLES: ReadonlyMap<string, string> = new Map([
  ['developer', 'system'],
  ['model', 'assistant'],
  ['function', 'tool'],
]);

export function describeMessage(message: object): MessageTraits {
  const fields = unwrapMessage(message);
  const type = textOf(fields.type) ?? '';
  const calls: (string | null)[] = listOf(fields.tool_calls).map(({ id }) => textOf(id));
  const answers: (string | null)[] = [];

  if (isAnswer(type, fields)) answers.push(textOf(fields.tool_call_id ?? fields.call_id));
  else if (type.endsWith('_call')) calls.push(textOf(fields.call_id));
  else if (isFields(fields.function_call)) calls.push(null);

  for (const part of [...listOf(fields.content), ...listOf(fields.parts)]) {
    const partType = textOf(part.type) ?? '';
    if (isFields(part.functionCall)) calls.push(textOf(part.functionCall.id));
    else if (/tool[_-](use|call)$/.test(partType)) calls.push(textOf(part.id ?? part.toolCallId));
    else if (isFields(part.functionResponse)) answers.push(textOf(part.functionResponse.id));
    else if (/tool[_-]result$/.test(partType)) answers.push(textOf(part.tool_use_id ?? part.toolCallId));
  }

  const spoken = roleOf(fields, type);
  const isToolOnly = spoken === 'user' && answers.length > 0 && answers.length === countParts(fields);
  return {
    role: isToolOnly ? 'tool' : spoken,
    calls: calls.filter((id) => id !== null),
    answers: answers.filter((id) => id !== null),
    callsUnnamed: calls.includes(null),
    answersUnnamed: answers.includes(null),
    leadsOn: type === 'reasoning' && textOf(fields.role) === null,
  };
}

function roleOf(fields: Fields, type: string): string {
  const role = textOf(fields.role);
  if (role !== null) return ROLES.get(role) ?? role;
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
