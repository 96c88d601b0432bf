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

/** Count of the first of these fields that is there, 0 where none is. A dot enters a field, one at most. */
type Count = (field: CountField, ...paths: string[]) => number;

interface VendorShape {
  vendor: UsageVendor;
  /** Fields that only this shape has. */
  marks: readonly string[];
  counts(count: Count, usage: unknown): UsageCounts;
  /** Where the vendor states the size of the whole call. */
  total?: readonly string[];
}

const excluding = (input: number, output: number, cacheRead: number, cacheCreation: number): UsageCounts => ({
  inputTokens: input,
  outputTokens: output,
  cacheReadTokens: cacheRead,
  cacheCreationTokens: cacheCreation,
});

/** More cached than prompted is a contradiction that leaves no input; an input that is negative itself passes. */
const including = (input: number, output: number, cacheRead: number, cacheWrite: number): UsageCounts => {
  const cached = Math.max(0, cacheRead) + Math.max(0, cacheWrite);
  return excluding(Math.max(Math.min(0, input), input - cached), output, cacheRead, cacheWrite);
};

/** Messages, Claude Agent SDK (`usage`; one entry of `modelUsage`), Bedrock's Converse. */
const anthropic = (count: Count) =>
  excluding(
    count('inputTokens', 'input_tokens', 'inputTokens'),
    count('outputTokens', 'output_tokens', 'outputTokens'),
    count('cacheReadTokens', 'cache_read_input_tokens', 'cacheReadInputTokens'),
    count(
      'cacheCreationTokens',
      'cache_creation_input_tokens',
      'cacheCreationInputTokens',
      'cacheWriteInputTokens',
    ),
  );

/** First match wins: proxies add Anthropic's fields to OpenAI's shape, where the input includes the cache. */
const SHAPES: readonly VendorShape[] = [
  {
    vendor: 'openai-chat',
    total: ['total_tokens'],
    marks: ['prompt_tokens', 'completion_tokens'],
    counts: openaiChat,
  },
  {
    vendor: 'codex',
    total: ['total_tokens'],
    marks: ['cached_input_tokens', 'cache_write_input_tokens', 'reasoning_output_tokens'],
    counts: (count) =>
      including(
        count('inputTokens', 'input_tokens'),
        count('outputTokens', 'output_tokens'),
        count('cacheReadTokens', 'cached_input_tokens'),
        count('cacheCreationTokens', 'cache_write_input_tokens'),
      ),
  },
  {
    vendor: 'anthropic',
    marks: [
      'cache_read_input_tokens',
      'cache_creation_input_tokens',
      'cacheReadInputTokens',
      'cacheCreationInputTokens',
      'cacheWriteInputTokens',
    ],
    counts: anthropic,
  },
  {
    vendor: 'openai-responses',
    total: ['total_tokens'],
    marks: ['input_tokens_details', 'total_tokens'],
    counts: (count) =>
      including(
        count('inputTokens', 'input_tokens'),
        count('outputTokens', 'output_tokens'),
        count('cacheReadTokens', 'input_tokens_details.cached_tokens'),
        count('cacheCreationTokens', 'input_tokens_details.cache_write_tokens'),
      ),
  },
  {
    vendor: 'openai-agents',
    total: ['totalTokens'],
    marks: ['inputTokensDetails', 'outputTokensDetails', 'requestUsageEntries'],
    counts: (count) =>
      including(
        count('inputTokens', 'inputTokens'),
        count('outputTokens', 'outputTokens'),
        count('cacheReadTokens', 'inputTokensDetails.cached_tokens'),
        count('cacheCreationTokens', 'inputTokensDetails.cache_write_tokens'),
      ),
  },
  {
    vendor: 'gemini',
    total: ['totalTokenCount', 'total_token_count'],
    marks: [
      'promptTokenCount',
      'candidatesTokenCount',
      'totalTokenCount',
      'prompt_token_count',
      'candidates_token_count',
      'total_token_count',
    ],
    counts: (count) =>
      including(
        count('inputTokens', 'promptTokenCount', 'prompt_token_count') +
          count('inputTokens', 'toolUsePromptTokenCount', 'tool_use_prompt_token_count'),
        count('outputTokens', 'candidatesTokenCount', 'candidates_token_count') +
          count('outputTokens', 'thoughtsTokenCount', 'thoughts_token_count'),
        count('cacheReadTokens', 'cachedContentTokenCount', 'cached_content_token_count'),
        0,
      ),
  },
  {
    vendor: 'opencode',
    marks: ['cache.read', 'cache.write', 'reasoning'],
    counts: opencode,
    total: ['total'],
  },
  {
    vendor: 'ai-sdk',
    marks: [
      'inputTokenDetails',
      'outputTokenDetails',
      'cachedInputTokens',
      'promptTokens',
      'completionTokens',
    ],
    counts: aiSdk,
  },
  {
    vendor: 'barograph',
    marks: ['cacheReadTokens', 'cacheCreationTokens', 'cacheRead', 'cacheCreation', 'input', 'output'],
    counts: (count) =>
      excluding(
        count('inputTokens', 'inputTokens', 'input'),
        count('outputTokens', 'outputTokens', 'output'),
        count('cacheReadTokens', 'cacheReadTokens', 'cacheRead'),
        count('cacheCreationTokens', 'cacheCreationTokens', 'cacheCreation'),
      ),
  },
  // Without cache fields these two shapes read alike.
  { vendor: 'anthropic', marks: ['input_tokens', 'output_tokens'], counts: anthropic },
  { vendor: 'ai-sdk', marks: ['inputTokens', 'outputTokens'], counts: aiSdk },
];

/**
 * OpenAI and compatible servers: DeepSeek (`prompt_cache_hit_tokens`) and Moonshot (`cached_tokens`) name the cached part
 * differently, and xAI counts reasoning beside the completion, as the total shows.
 */
function openaiChat(count: Count): UsageCounts {
  const input = count('inputTokens', 'prompt_tokens');
  const output = count('outputTokens', 'completion_tokens');
  const reasoning = count('outputTokens', 'completion_tokens_details.reasoning_tokens');
  const isBeside = count('outputTokens', 'total_tokens') === input + output + reasoning;
  return including(
    input,
    isBeside ? output + reasoning : output,
    count(
      'cacheReadTokens',
      'prompt_tokens_details.cached_tokens',
      'prompt_cache_hit_tokens',
      'cached_tokens',
    ),
    count('cacheCreationTokens', 'prompt_tokens_details.cache_write_tokens'),
  );
}

/** Older versions count reasoning in `output`, newer ones beside it; `total` shows which. */
function opencode(count: Count): UsageCounts {
  const input = count('inputTokens', 'input');
  const output = count('outputTokens', 'output');
  const cacheRead = count('cacheReadTokens', 'cache.read');
  const cacheWrite = count('cacheCreationTokens', 'cache.write');
  const reasoning = count('outputTokens', 'reasoning');
  const isBeside = count('outputTokens', 'total') === input + output + reasoning + cacheRead + cacheWrite;
  return excluding(input, isBeside ? output + reasoning : output, cacheRead, cacheWrite);
}

/**
 * Version 6 states the uncached part. Version 5 passes on the provider's figures, and some leave the cached part
 * out of the input: more cached than input proves that. In doubt, read the provider's own usage.
 */
function aiSdk(count: Count, usage: unknown): UsageCounts {
  const input = count('inputTokens', 'inputTokens', 'promptTokens');
  const output = count('outputTokens', 'outputTokens', 'completionTokens');
  const cacheRead = count('cacheReadTokens', 'inputTokenDetails.cacheReadTokens', 'cachedInputTokens');
  const cacheWrite = count('cacheCreationTokens', 'inputTokenDetails.cacheWriteTokens');
  const uncached = readPath(usage, 'inputTokenDetails.noCacheTokens') ?? null;
  if (uncached !== null) {
    const stated = count('inputTokens', 'inputTokenDetails.noCacheTokens');
    return excluding(stated, output, cacheRead, cacheWrite);
  }
  return cacheRead + cacheWrite > input
    ? excluding(input, output, cacheRead, cacheWrite)
    : including(input, output, cacheRead, cacheWrite);
}

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
  return SHAPES.find(({ marks }) => marks.some(isThere))?.vendor ?? null;
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
  const shape = SHAPES.find((candidate) => candidate.vendor === vendor);
  if (shape === undefined) {
    throw new RangeError(`Unknown vendor "${vendor}": one of ${USAGE_VENDORS.join(', ')}`);
  }
  const count: Count = (field, ...paths) => readCount(usage, field, paths);
  const counts = shape.counts(count, usage);
  const total = count('outputTokens', ...(shape.total ?? []));
  const parts = Object.values(counts).reduce((sum, part) => sum + Math.max(0, part), 0);
  const size = total > 0 ? total : parts;
  return { ...counts, contextTokens: size > 0 && Number.isSafeInteger(size) ? size : null };
}

function readCount(usage: unknown, field: CountField, paths: readonly string[]): number {
  for (const path of paths) {
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
