/**
 * How each vendor writes down what a turn spent. Anthropic's input leaves the cached part out; the input of
 * OpenAI, Codex, Gemini and the AI SDK includes it, so it is subtracted. Reasoning is part of output.
 */
import { readPath } from './read-field';
import { type CountField, requireCount } from './usage-count-error';

/** Vendors with a known shape of usage. */
export const USAGE_VENDORS = [
  'anthropic',
  'openai-chat',
  'openai-responses',
  'openai-agents',
  'codex',
  'gemini',
  'opencode',
  'ai-sdk',
  'barograph',
] as const;
/** One of `USAGE_VENDORS`. */
export type UsageVendor = (typeof USAGE_VENDORS)[number];

/** Deltas of one turn in one meaning for all vendors, tokens. */
export interface UsageCounts {
  /** Without what was read from or written to the prompt cache. */
  inputTokens: number;
  /** With reasoning. */
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreationTokens: number;
}

/** Where a vendor states each count: fields of the usage, the first that is there counts. A dot enters a field. */
interface VendorShape {
  vendor: UsageVendor;
  /** Fields that only this shape has. */
  marks: string;
  input: string;
  output: string;
  cacheRead: string;
  cacheCreation?: string;
  /** The size of the whole call. */
  total?: string;
  /** Whether the input includes what was read from and written to the cache. */
  includesCache: boolean;
  /** The input without the cached part, where it is stated beside the other. */
  uncached?: string;
  /** Reasoning, which is within output or beside it: the total shows which. */
  reasoning?: string;
  /** More input and output. */
  toolInput?: string;
  thoughts?: string;
}

/** Messages, Claude Agent SDK (`usage`; one entry of `modelUsage`), Bedrock's Converse. */
const ANTHROPIC = {
  vendor: 'anthropic',
  input: 'input_tokens inputTokens',
  output: 'output_tokens outputTokens',
  cacheRead: 'cache_read_input_tokens cacheReadInputTokens',
  cacheCreation: 'cache_creation_input_tokens cacheCreationInputTokens cacheWriteInputTokens',
  includesCache: false,
} as const;

/** Version 6 states the uncached part; version 5 passes on the provider's figures. */
const AI_SDK = {
  vendor: 'ai-sdk',
  input: 'inputTokens promptTokens',
  output: 'outputTokens completionTokens',
  cacheRead: 'inputTokenDetails.cacheReadTokens cachedInputTokens',
  cacheCreation: 'inputTokenDetails.cacheWriteTokens',
  uncached: 'inputTokenDetails.noCacheTokens',
  includesCache: true,
} as const;

/** First match wins: proxies add Anthropic's fields to OpenAI's shape, where the input includes the cache. */
const SHAPES: readonly VendorShape[] = [
  {
    // DeepSeek and Moonshot name the cached part differently, xAI counts reasoning beside the completion.
    vendor: 'openai-chat',
    marks: 'prompt_tokens completion_tokens',
    input: 'prompt_tokens',
    output: 'completion_tokens',
    cacheRead: 'prompt_tokens_details.cached_tokens prompt_cache_hit_tokens cached_tokens',
    cacheCreation: 'prompt_tokens_details.cache_write_tokens',
    total: 'total_tokens',
    includesCache: true,
    reasoning: 'completion_tokens_details.reasoning_tokens',
  },
  {
    vendor: 'codex',
    marks: 'cached_input_tokens cache_write_input_tokens reasoning_output_tokens',
    input: 'input_tokens',
    output: 'output_tokens',
    cacheRead: 'cached_input_tokens',
    cacheCreation: 'cache_write_input_tokens',
    total: 'total_tokens',
    includesCache: true,
  },
  { ...ANTHROPIC, marks: `${ANTHROPIC.cacheRead} ${ANTHROPIC.cacheCreation}` },
  {
    vendor: 'openai-responses',
    marks: 'input_tokens_details total_tokens',
    input: 'input_tokens',
    output: 'output_tokens',
    cacheRead: 'input_tokens_details.cached_tokens',
    cacheCreation: 'input_tokens_details.cache_write_tokens',
    total: 'total_tokens',
    includesCache: true,
  },
  {
    vendor: 'openai-agents',
    marks: 'inputTokensDetails outputTokensDetails requestUsageEntries',
    input: 'inputTokens',
    output: 'outputTokens',
    cacheRead: 'inputTokensDetails.cached_tokens',
    cacheCreation: 'inputTokensDetails.cache_write_tokens',
    total: 'totalTokens',
    includesCache: true,
  },
  {
    vendor: 'gemini',
    marks:
      'promptTokenCount candidatesTokenCount totalTokenCount prompt_token_count candidates_token_count total_token_count',
    input: 'promptTokenCount prompt_token_count',
    toolInput: 'toolUsePromptTokenCount tool_use_prompt_token_count',
    output: 'candidatesTokenCount candidates_token_count',
    thoughts: 'thoughtsTokenCount thoughts_token_count',
    cacheRead: 'cachedContentTokenCount cached_content_token_count',
    total: 'totalTokenCount total_token_count',
    includesCache: true,
  },
  {
    // Older versions count reasoning in `output`, newer ones beside it.
    vendor: 'opencode',
    marks: 'cache.read cache.write reasoning',
    input: 'input',
    output: 'output',
    cacheRead: 'cache.read',
    cacheCreation: 'cache.write',
    total: 'total',
    includesCache: false,
    reasoning: 'reasoning',
  },
  {
    ...AI_SDK,
    marks: 'inputTokenDetails outputTokenDetails cachedInputTokens promptTokens completionTokens',
  },
  {
    vendor: 'barograph',
    marks: 'cacheReadTokens cacheCreationTokens cacheRead cacheCreation input output',
    input: 'inputTokens input',
    output: 'outputTokens output',
    cacheRead: 'cacheReadTokens cacheRead',
    cacheCreation: 'cacheCreationTokens cacheCreation',
    includesCache: false,
  },
  // Without cache fields these two shapes read alike.
  { ...ANTHROPIC, marks: 'input_tokens output_tokens' },
  { ...AI_SDK, marks: 'inputTokens outputTokens' },
];

/** Names that other things bear as well: an agent's answer may have an `output`. */
const COMMON_NAMES: ReadonlySet<string> = new Set(['input', 'output', 'reasoning']);

/**
 * The vendor of these fields, or null. A field that is null counts as present.
 * @param isUsage false: it may be anything, so a common name counts only with a number.
 */
export function detectVendor(usage: unknown, isUsage: boolean): UsageVendor | null {
  const isThere = (mark: string) => {
    const value = readPath(usage, mark);
    return value !== undefined && (isUsage || !COMMON_NAMES.has(mark) || typeof value === 'number');
  };
  return SHAPES.find(({ marks }) => marks.split(' ').some(isThere))?.vendor ?? null;
}

/** @throws RangeError for a vendor that does not exist. */
export function shapeOf(vendor: UsageVendor): Readonly<VendorShape> {
  const shape = SHAPES.find((candidate) => candidate.vendor === vendor);
  if (shape !== undefined) return shape;
  throw new RangeError(`Unknown vendor "${vendor}": one of ${USAGE_VENDORS.join(', ')}`);
}

/** Whether one of the fields holds something. */
export function states(usage: unknown, paths = ''): boolean {
  return paths.split(' ').some((path) => (readPath(usage, path) ?? null) !== null);
}

/**
 * The counts, and the size of the context where they are those of a single call: the vendor's total as it
 * is, else the sum of the parts; null where that is 0, which states nothing.
 * @throws UsageCountError for a count that is no exact whole number, naming the field.
 */
export function readCounts(
  usage: unknown,
  vendor: UsageVendor,
): UsageCounts & { contextTokens: number | null } {
  const shape = shapeOf(vendor);
  const stated =
    readCount(usage, 'inputTokens', shape.input) + readCount(usage, 'inputTokens', shape.toolInput);
  const output =
    readCount(usage, 'outputTokens', shape.output) + readCount(usage, 'outputTokens', shape.thoughts);
  const cacheReadTokens = readCount(usage, 'cacheReadTokens', shape.cacheRead);
  const cacheCreationTokens = readCount(usage, 'cacheCreationTokens', shape.cacheCreation);
  const reasoning = readCount(usage, 'outputTokens', shape.reasoning);
  const total = readCount(usage, 'outputTokens', shape.total);

  const cached = Math.max(0, cacheReadTokens) + Math.max(0, cacheCreationTokens);
  const whole =
    stated + output + reasoning + (shape.includesCache ? 0 : cacheReadTokens + cacheCreationTokens);
  const outputTokens = total === whole ? output + reasoning : output;
  const inputTokens = states(usage, shape.uncached)
    ? readCount(usage, 'inputTokens', shape.uncached)
    : withoutCache(shape, stated, cached);
  const counts = { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens };
  const parts = Object.values(counts).reduce((sum, part) => sum + Math.max(0, part), 0);
  const size = total > 0 ? total : parts;
  return { ...counts, contextTokens: size > 0 && Number.isSafeInteger(size) ? size : null };
}

/** More cached than prompted is a contradiction that leaves no input; an input that is negative itself passes. */
function withoutCache({ vendor, includesCache }: VendorShape, input: number, cached: number): number {
  // Some of the AI SDK's providers leave the cached part out, which this proves. In doubt, read their own usage.
  if (!includesCache || (vendor === 'ai-sdk' && cached > input)) return input;
  return Math.max(Math.min(0, input), input - cached);
}

function readCount(usage: unknown, field: CountField, paths = ''): number {
  for (const path of paths.split(' ')) {
    const [outer = '', inner] = path.split('.');
    const value = readPath(usage, outer);
    // OpenAI's agents give one entry for each call of a run.
    const entries = inner !== undefined && Array.isArray(value) ? value : [value];
    const counts = entries.map((entry) => (inner === undefined ? entry : readPath(entry, inner)));
    if (counts.every((count) => count === undefined || count === null)) continue;
    return counts.reduce<number>((sum, count) => sum + requireCount(count, field, `usage.${path}`), 0);
  }
  return 0;
}

/** The counts by their names on the wire. */
export function wireUsage(counts: UsageCounts) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = counts;
  return {
    input: inputTokens,
    output: outputTokens,
    cacheRead: cacheReadTokens,
    cacheCreation: cacheCreationTokens,
  };
}
