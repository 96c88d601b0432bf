/** Parts of messages of the Messages and Responses APIs. Parts beyond a budget per entry are kept unread. */
import {
  type Block,
  IMAGE_TYPES,
  type ImageBlock,
  type OtherBlock,
  type RestBlock,
  type TextBlock,
} from './entry';
import { asFields, asList, asText, type Fields, toJson } from './fields';
import { labelOf } from './tool-calls';

/** Maximum of parts read per entry, including parts within results. */
const MAX_PARTS = 1_000;

export interface PartsBudget {
  left: number;
}

export const createPartsBudget = (): PartsBudget => ({ left: MAX_PARTS });

/** `content` of a message: a text or a list of blocks. */
export function readContent(content: unknown, budget = createPartsBudget()): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return takeParts(asList(content), budget, (part) => readBlock(part, budget));
}

function takeParts<T>(
  parts: readonly unknown[],
  budget: PartsBudget,
  read: (part: unknown) => T,
): (T | RestBlock)[] {
  const taken: (T | RestBlock)[] = [];
  for (const part of parts) {
    if (budget.left <= 0) break;
    budget.left -= 1;
    taken.push(read(part));
  }
  const rest = parts.length - taken.length;
  if (rest > 0) taken.push({ type: 'rest', parts: rest, values: parts.slice(taken.length) });
  return taken;
}

function readBlock(value: unknown, budget: PartsBudget): Block {
  const block = asFields(value);
  if (block === null) return { type: 'other', name: typeof value, text: toJson(value) };
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', text: asText(block.thinking) ?? '' };
    case 'redacted_thinking':
      return { type: 'thinking', text: '' };
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return readToolUse(block);
    case 'tool_result':
    case 'web_search_tool_result':
    case 'web_fetch_tool_result':
    case 'code_execution_tool_result':
    case 'mcp_tool_result':
      return {
        type: 'tool_result',
        callId: asText(block.tool_use_id),
        isError: block.is_error === true,
        content: readResult(block.content, budget),
      };
    default:
      return readPart(block);
  }
}

/** Content of a result: texts and images; anything else as JSON. */
export function readResult(
  content: unknown,
  budget = createPartsBudget(),
): (TextBlock | ImageBlock | OtherBlock | RestBlock)[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return [{ type: 'other', name: 'content', text: toJson(content) }];
  return takeParts(content, budget, (part) => {
    const fields = asFields(part);
    return fields === null ? { type: 'other', name: typeof part, text: toJson(part) } : readPart(fields);
  });
}

function readPart(block: Fields): TextBlock | ImageBlock | OtherBlock {
  const text = asText(block.text);
  const isText = ['text', 'input_text', 'output_text', 'Text', 'summary_text', 'reasoning_text'];
  if (text !== null && isText.includes(String(block.type))) return { type: 'text', text };
  if (block.type === 'image') return readImage(block) ?? otherPart(block);
  if (block.type === 'input_image') return readDataUrl(block.image_url) ?? otherPart(block);
  return otherPart(block);
}

function otherPart(block: Fields): OtherBlock {
  return { type: 'other', name: asText(block.type) ?? 'block', text: toJson(block) };
}

function readImage(block: Fields): ImageBlock | null {
  const source = asFields(block.source) ?? block;
  const data = asText(source.data);
  if (data === null) return null;
  return imageOf(asText(source.media_type) ?? asText(source.mimeType), data);
}

/** Image in a data URL. Other URLs are never fetched. */
function readDataUrl(url: unknown): ImageBlock | null {
  const [head = '', data] = (asText(url) ?? '').split(';base64,', 2);
  return head.startsWith('data:') && data !== undefined ? imageOf(head.slice(5), data) : null;
}

function imageOf(type: string | null, data: string): ImageBlock {
  const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(data);
  const mediaType = isBase64 ? (IMAGE_TYPES.find((known) => known === type?.toLowerCase()) ?? null) : null;
  return { type: 'image', mediaType, data };
}

function readToolUse(block: Fields): Block {
  const name = asText(block.name) ?? 'tool';
  return {
    type: 'tool_call',
    callId: asText(block.id),
    name,
    label: labelOf(block.input),
    text: toJson(block.input ?? {}),
    isJson: true,
    input: block.input,
  };
}
