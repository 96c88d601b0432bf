/**
 * How many characters of text a message carries, whichever vendor's it is: OpenAI's strings, parts, tool calls
 * and Responses items, Anthropic's blocks, Gemini's parts, the parts of the Vercel AI SDK.
 *
 * What a model reads as text counts: text, thinking, refusals, names and arguments of tool calls, tool results.
 * Ids, types, signatures and encrypted content do not. Nor do pictures, sound and files: their bytes are no
 * characters, and what they cost follows rules of each vendor's own.
 */
import { type Fields, isFields, textOf, unwrapMessage } from './message-fields';

/** Fields that hold text as it stands, or parts that do. */
const TEXT_FIELDS = [
  'content',
  'parts',
  'text',
  'thinking',
  'reasoning',
  'reasoning_content',
  'refusal',
  'summary',
  'title',
  'context',
  'name',
  'toolName',
  'tool_calls',
  'function_call',
  'function',
  'functionCall',
  'functionResponse',
  'output',
];
/** Fields that hold what a tool is called with or answers: counted as compact JSON unless it is a string. */
const VALUE_FIELDS = ['arguments', 'input', 'args', 'action', 'response', 'result', 'value'];
const BINARY = /^(input_)?(image|audio|video|file)(_url|-url|_generation_call)?$/;
const SURROGATE = /[\ud800-\udfff]/;
/** Deeper than any vendor nests; what refers to itself ends here. */
const MAX_DEPTH = 20;

/** Characters are Unicode code points, so that every language counts alike. */
export function countCharacters(message: object): number {
  const fields = unwrapMessage(message);
  // Beside a role, a name is the speaker's; without one the item is a tool call, and the name is the tool's.
  return countFields(textOf(fields.role) === null ? fields : { ...fields, name: undefined }, 0);
}

function countText(value: unknown, depth: number): number {
  if (typeof value === 'string') return countCodePoints(value);
  if (depth > MAX_DEPTH) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + countText(part, depth + 1), 0);
  return isFields(value) ? countFields(value, depth + 1) : 0;
}

function countFields(fields: Fields, depth: number): number {
  if (BINARY.test(textOf(fields.type) ?? '')) return 0;
  let characters = countSource(fields.source, depth);
  for (const name of TEXT_FIELDS) characters += countText(fields[name], depth);
  for (const name of VALUE_FIELDS) characters += countValue(fields[name]);
  return characters;
}

/** A document's own text; one given as base64, address or file id is a file. */
function countSource(source: unknown, depth: number): number {
  if (!isFields(source)) return 0;
  if (source.type === 'text') return countText(source.data, depth);
  return source.type === 'content' ? countText(source.content, depth) : 0;
}

function countValue(value: unknown): number {
  if (value === null) return 0;
  if (typeof value === 'string') return countCodePoints(value);
  try {
    // Of what is not there JSON says nothing.
    return countCodePoints(JSON.stringify(value) ?? '');
  } catch {
    // It refers to itself, or holds what JSON has no word for: no vendor can have been sent this.
    return 0;
  }
}

function countCodePoints(text: string): number {
  // Most text has none, and a look for it is much faster than a walk.
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
