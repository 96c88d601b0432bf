/** Reads messages of any vendor and version: roles and tool calls. */
import { asFields, asList, type Fields, asNonEmptyText as textOf } from '../../../core/agents/fields';
import { unwrapMessage } from './message-content';

function listOf(value: unknown): Fields[] {
  return asList(value)
    .map(asFields)
    .filter((part) => part !== null);
}

export interface MessageTraits {
  /**
   * `system`, `user`, `assistant`, `tool`, or the message's own role. `developer` becomes `system`, `model` becomes
   * `assistant`, and `function` becomes `tool`. A user message with only tool results (Anthropic) also becomes `tool`.
   */
  role: string;
  /** Ids of the message's tool calls; null for a call without an id. */
  calls: readonly (string | null)[];
  /** Ids of the tool calls that the message answers; null for an answer without an id. */
  answers: readonly (string | null)[];
  /** A reasoning item (OpenAI). The following items of the same role are valid only together with this item. */
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
  else if (asFields(fields.function_call)) calls.push(null);

  for (const part of [...listOf(fields.content), ...listOf(fields.parts)]) {
    const partType = textOf(part.type) ?? '';
    const [called, answered] = [asFields(part.functionCall), asFields(part.functionResponse)];
    if (called) calls.push(textOf(called.id));
    else if (/tool[_-](use|call)$/.test(partType)) calls.push(textOf(part.id ?? part.toolCallId));
    else if (answered) answers.push(textOf(answered.id));
    else if (/tool[_-]result$/.test(partType)) answers.push(textOf(part.tool_use_id ?? part.toolCallId));
  }

  const spoken = roleOf(fields, type);
  const isToolOnly = spoken === 'user' && answers.length > 0 && answers.length === countParts(fields);
  return {
    role: isToolOnly ? 'tool' : spoken,
    calls,
    answers,
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

/**
 * Groups messages that are valid only together: a tool call with its results, and a reasoning item with the items after
 * it. OpenAI and Anthropic refuse an incomplete group.
 * @returns for each message the index of its group's first message.
 */
export function groupMessages(messages: readonly MessageTraits[]): number[] {
  const parents = messages.map((_, index) => index);
  /**
   * The latest call of each id, since some servers reuse ids. A call without an id stays open until a message with
   * another role follows.
   */
  const callers = new Map<string | null, number>();
  let leader: number | null = null;

  for (const [index, traits] of messages.entries()) {
    if (traits.leadsOn) leader = index;
    else if (leader !== null && traits.role === 'assistant') join(parents, leader, index);
    else leader = null;

    for (const id of traits.answers) {
      const caller = callers.get(id);
      if (caller !== undefined) join(parents, caller, index);
    }
    if (traits.role !== 'tool') callers.delete(null);
    for (const id of traits.calls) callers.set(id, index);
  }
  return parents.map((_, index) => rootOf(parents, index));
}

/** The smaller index becomes the root: the group's oldest message. */
function join(parents: number[], a: number, b: number): void {
  const first = rootOf(parents, a);
  const second = rootOf(parents, b);
  parents[Math.max(first, second)] = Math.min(first, second);
}

function rootOf(parents: number[], index: number): number {
  let root = index;
  for (let parent = parents[root]; parent !== undefined && parent !== root; parent = parents[root])
    root = parent;
  // Shorten the path for the next search.
  parents[index] = root;
  return root;
}
