/** Reads messages of any vendor and version: roles, tool calls and characters. */
import { asFields, asList, type Fields, asNonEmptyText as textOf } from '../../../core/agents/fields';

function listOf(value: unknown): Fields[] {
  return asList(value)
    .map(asFields)
    .filter((part) => part !== null);
}

/** The message inside an SDK's wrapper: `{type: 'assistant', message: {role, content}}`. */
function unwrapMessage(message: object): Fields {
  const fields = message as Fields;
  return fields.role === undefined ? (asFields(fields.message) ?? fields) : fields;
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

const TEXT_FIELDS = (
  'content parts text thinking reasoning reasoning_content refusal summary title context name toolName tool_calls ' +
  'function_call function functionCall functionResponse output'
).split(' ');
/** Fields with a tool's input or output. A string counts unchanged, any other value as compact JSON. */
const VALUE_FIELDS = ['arguments', 'input', 'args', 'action', 'response', 'result', 'value'];
const BINARY = /^(input_)?(image|audio|video|file)(_url|-url|_generation_call)?$/;
const SURROGATE = /[\ud800-\udfff]/;
/** Deeper than any vendor nests content. The limit also stops cycles. */
const MAX_DEPTH = 20;

/** Characters are Unicode code points, so that every language counts alike. */
export function countCharacters(message: object): number {
  const fields = unwrapMessage(message);
  // In a message with a role, `name` is the speaker and does not count. In other items, `name` is the tool and counts.
  return countFields(textOf(fields.role) === null ? fields : { ...fields, name: undefined }, 0);
}

function countText(value: unknown, depth: number): number {
  if (typeof value === 'string') return countCodePoints(value);
  if (depth > MAX_DEPTH) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + countText(part, depth + 1), 0);
  const fields = asFields(value);
  return fields === null ? 0 : countFields(fields, depth + 1);
}

function countFields(fields: Fields, depth: number): number {
  if (BINARY.test(textOf(fields.type) ?? '')) return 0;
  let characters = countSource(fields.source, depth);
  for (const name of TEXT_FIELDS) characters += countText(fields[name], depth);
  for (const name of VALUE_FIELDS) characters += countValue(fields[name]);
  return characters;
}

/** The text of a document; other sources (base64, URL, file id) count as files. */
function countSource(value: unknown, depth: number): number {
  const source = asFields(value);
  if (source?.type === 'text') return countText(source.data, depth);
  return source?.type === 'content' ? countText(source.content, depth) : 0;
}

function countValue(value: unknown): number {
  if (value === null) return 0;
  if (typeof value === 'string') return countCodePoints(value);
  try {
    // JSON.stringify returns undefined for undefined and functions.
    return countCodePoints(JSON.stringify(value) ?? '');
  } catch {
    // A cycle or a bigint: no vendor can have received this.
    return 0;
  }
}

function countCodePoints(text: string): number {
  // Most texts have no surrogates, and this test is much faster than counting.
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
