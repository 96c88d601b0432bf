/** Finds what a model reads in a message of any vendor: its texts and its images. */
import { asFields, type Fields, asNonEmptyText as textOf } from '../../../core/agents/fields';
import { estimateTokens } from '../../../core/tokens/estimate-tokens';
import { estimateImage, hasInlineFile } from './estimate-image';

/** What a model reads, in order. */
export interface Content {
  texts: string[];
  /** Parts with an image. */
  images: Fields[];
}

const TEXT_FIELDS = (
  'content parts text thinking reasoning reasoning_content refusal summary title context name toolName tool_calls ' +
  'function_call function functionCall functionResponse output'
).split(' ');
/** Fields with a tool's input or output. A string counts unchanged, any other value as compact JSON. */
const VALUE_FIELDS = ['arguments', 'input', 'args', 'action', 'response', 'result', 'value'];
const BINARY = /^(input_)?(image|audio|video|file)(_url|-url|_generation_call)?$/;
/** Deeper than any vendor nests content. The limit also stops cycles. */
const MAX_DEPTH = 20;

/** The message inside an SDK's wrapper: `{type: 'assistant', message: {role, content}}`. */
export function unwrapMessage(message: object): Fields {
  const fields = message as Fields;
  return fields.role === undefined ? (asFields(fields.message) ?? fields) : fields;
}

/** The content of a text, a message, a part, a delta, or a list of them. */
export function readContent(value: unknown): Content {
  const content: Content = { texts: [], images: [] };
  for (const each of Array.isArray(value) ? value.flat() : [value]) {
    const message = asFields(each);
    if (message === null) addText(content, each, 0);
    else {
      const fields = unwrapMessage(message);
      // In a message with a role, `name` is the speaker and does not count. In other items, `name` is the tool.
      addFields(content, textOf(fields.role) === null ? fields : { ...fields, name: undefined }, 0);
    }
  }
  return content;
}

/** Count the characters of a message's texts as Unicode code points, so that every language counts alike. */
export function countCharacters(message: object): number {
  return readContent(message).texts.reduce((sum, text) => sum + [...text].length, 0);
}

/** @param countTokens counts a text. Images count by their provider's published formula. */
export function countContent({ texts, images }: Content, countTokens = estimateTokens): number {
  const imageTokens = images.reduce((sum, part) => sum + estimateImage(part), 0);
  return texts.reduce((sum, text) => sum + countTokens(text), imageTokens);
}

function addText(content: Content, value: unknown, depth: number): void {
  if (typeof value === 'string') content.texts.push(value);
  else if (depth > MAX_DEPTH) return;
  else if (Array.isArray(value)) for (const part of value) addText(content, part, depth + 1);
  else {
    const fields = asFields(value);
    if (fields !== null) addFields(content, fields, depth + 1);
  }
}

function addFields(content: Content, fields: Fields, depth: number): void {
  const isBinary = BINARY.test(textOf(fields.type) ?? '');
  if (isBinary || hasInlineFile(fields)) content.images.push(fields);
  if (isBinary) return;
  addSource(content, fields.source, depth);
  for (const name of TEXT_FIELDS) addText(content, fields[name], depth);
  for (const name of VALUE_FIELDS) addValue(content, fields[name]);
}

/** The text of a document; other sources (base64, URL, file id) count as files. */
function addSource(content: Content, value: unknown, depth: number): void {
  const source = asFields(value);
  if (source?.type === 'text') addText(content, source.data, depth);
  else if (source?.type === 'content') addText(content, source.content, depth);
}

function addValue(content: Content, value: unknown): void {
  if (value === null) return;
  try {
    // JSON.stringify returns undefined for undefined and functions.
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (text !== undefined) content.texts.push(text);
  } catch {
    // A cycle or a bigint: no vendor can have received this.
  }
}
