/** Reads usage by each vendor's fields. Cached tokens are subtracted from the input; reasoning counts as output. */
import { readIterations } from '../../../core/agents/claude-code/message-usage';
import { asFields } from '../../../core/agents/fields';
import { splitPrompt } from '../../../core/agents/split-prompt';
import { countEdits, findNearest } from '../../../core/settings/find-nearest';
import { findUsage } from './find-usage';
import { isEmptyRecord, readField, readPath, statedOf } from './read-field';
import { type CountField, requireCount, UsageCountError } from './usage-count-error';

/** Vendors with a known shape of usage. */
export const USAGE_VENDORS = [
  'anthropic',
  'openai-chat',
  'openai-responses',
  'openai-agents',
  'codex',
  'gemini',
  'langchain',
  'opencode',
  'ai-sdk',
  'barograph',
] as const;
/** One of `USAGE_VENDORS`. */
export type UsageVendor = (typeof USAGE_VENDORS)[number];

/** Deltas of one turn, tokens. They mean the same for all vendors. */
export interface UsageCounts {
  /** Without tokens read from or written to the prompt cache. */
  inputTokens: number;
  /** Includes reasoning. */
  outputTokens: number;
  /** Read from the prompt cache. */
  cacheReadTokens: number;
  /** Written to the prompt cache. */
  cacheCreationTokens: number;
}

/**
 * A vendor's field names for each count, separated by blanks; the first field that is present counts. A dot separates
 * nested fields.
 */
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
  /** The input excludes tokens read from and written to the cache. */
  excludesCache?: true;
  /** An extra field of the input without the cached part. */
  uncached?: string;
  /** Reasoning. The total shows whether the output includes it. */
  reasoning?: string;
  /** Additional input and output. */
  toolInput?: string;
  thoughts?: string;
}

/** The Messages API, the Claude Agent SDK (`usage`, or an entry of `modelUsage`), and Bedrock's Converse API. */
const ANTHROPIC = {
  vendor: 'anthropic',
  input: 'input_tokens inputTokens',
  output: 'output_tokens outputTokens',
  cacheRead: 'cache_read_input_tokens cacheReadInputTokens',
  cacheCreation: 'cache_creation_input_tokens cacheCreationInputTokens cacheWriteInputTokens',
  excludesCache: true,
} as const;

/** Version 6 states the uncached part; version 5 passes on the provider's numbers. */
const AI_SDK = {
  vendor: 'ai-sdk',
  input: 'inputTokens promptTokens',
  output: 'outputTokens completionTokens',
  cacheRead: 'inputTokenDetails.cacheReadTokens cachedInputTokens',
  cacheCreation: 'inputTokenDetails.cacheWriteTokens',
  uncached: 'inputTokenDetails.noCacheTokens',
} as const;

/** OpenAI's Responses, Codex and LangChain. */
const RESPONSES = { input: 'input_tokens', output: 'output_tokens', total: 'total_tokens' } as const;

/**
 * First match wins: proxies add Anthropic's fields to OpenAI's shape, where the input includes the cache. The mark
 * `@__PURE__` lets a bundler leave out the table of a program that reads no usage.
 */
const SHAPES = /* @__PURE__ */ ((): readonly VendorShape[] => [
  {
    // DeepSeek and Moonshot name the cached part differently. xAI does not count reasoning as completion.
    vendor: 'openai-chat',
    marks: 'prompt_tokens completion_tokens',
    input: 'prompt_tokens',
    output: 'completion_tokens',
    cacheRead: 'prompt_tokens_details.cached_tokens prompt_cache_hit_tokens cached_tokens',
    cacheCreation: 'prompt_tokens_details.cache_write_tokens',
    total: 'total_tokens',
    reasoning: 'completion_tokens_details.reasoning_tokens',
  },
  {
    ...RESPONSES,
    vendor: 'langchain',
    marks: 'input_token_details output_token_details',
    cacheRead: 'input_token_details.cache_read',
    cacheCreation: 'input_token_details.cache_creation',
  },
  {
    ...RESPONSES,
    vendor: 'codex',
    marks: 'cached_input_tokens cache_write_input_tokens reasoning_output_tokens',
    cacheRead: 'cached_input_tokens',
    cacheCreation: 'cache_write_input_tokens',
  },
  { ...ANTHROPIC, marks: `${ANTHROPIC.cacheRead} ${ANTHROPIC.cacheCreation}` },
  {
    ...RESPONSES,
    vendor: 'openai-responses',
    marks: 'input_tokens_details total_tokens',
    cacheRead: 'input_tokens_details.cached_tokens',
    cacheCreation: 'input_tokens_details.cache_write_tokens',
  },
  {
    vendor: 'openai-agents',
    marks: 'inputTokensDetails outputTokensDetails requestUsageEntries',
    input: 'inputTokens',
    output: 'outputTokens',
    cacheRead: 'inputTokensDetails.cached_tokens',
    cacheCreation: 'inputTokensDetails.cache_write_tokens',
    total: 'totalTokens',
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
  },
  {
    // Older versions count reasoning as `output`, newer ones do not.
    vendor: 'opencode',
    marks: 'cache.read cache.write reasoning',
    input: 'input',
    output: 'output',
    cacheRead: 'cache.read',
    cacheCreation: 'cache.write',
    total: 'total',
    excludesCache: true,
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
    excludesCache: true,
  },
  // Without cache fields, both shapes give the same counts.
  { ...ANTHROPIC, marks: 'input_tokens output_tokens' },
  { ...AI_SDK, marks: 'inputTokens outputTokens' },
])();

/** Names that also occur outside of usages: an agent's answer may have an `output`. */
const COMMON_NAMES: ReadonlySet<string> = new Set(['input', 'output', 'reasoning']);

/**
 * The vendor of these fields, or null. A field with null counts as present.
 * @param isUsage false: the value may be any object, so a common field name counts only with a number.
 */
function detectVendor(usage: unknown, isUsage: boolean): UsageVendor | null {
  const isThere = (mark: string) => {
    const value = readPath(usage, mark);
    return value !== undefined && (isUsage || !COMMON_NAMES.has(mark) || typeof value === 'number');
  };
  return SHAPES.find(({ marks }) => marks.split(' ').some(isThere))?.vendor ?? null;
}

/** Whether a value has fields of a usage, perhaps misspelled, or consists of numbers. The AI SDK states undefined counts. */
export function isUsage(value: unknown): boolean {
  const fields = fieldsOf(value);
  const isCount = ([name, count]: [string, unknown]) =>
    typeof count === 'number' || (count === undefined && /tokens$/i.test(name));
  const isCounts = fields.length > 0 && fields.every(isCount);
  return isCounts || detectVendor(value, false) !== null || findMistyped(value) !== null;
}

const fieldsOf = (usage: unknown): [string, unknown][] =>
  usage instanceof Map ? [...usage] : Object.entries(asFields(usage) ?? {});

/** The names of a usage's fields if no vendor has any of them; null: a field is known, or there is no field. */
export function unknownFields(usage: unknown): string | null {
  const stated = fieldsOf(usage).filter(([, value]) => value !== undefined);
  const names = stated.map(([name]) => name);
  return names.length === 0 || detectVendor(usage, true) !== null ? null : names.slice(0, 8).join(', ');
}

const NAMES = /* @__PURE__ */ (['input', 'output'] as const).map((count) => ({
  field: `${count}Tokens` as const,
  known: SHAPES.flatMap((shape) => shape[count].split(' ')),
}));
const squash = (name: string): string => name.replaceAll(/[-_]/g, '').toLowerCase();

/**
 * A number under a misspelled name of the input or output, if the usage has no such count. Other unknown fields are
 * valid, because providers add fields.
 */
function findMistyped(usage: unknown): { field: CountField; message: string } | null {
  const numbers = fieldsOf(usage).filter(([, value]) => typeof value === 'number');
  for (const { field, known } of NAMES) {
    if (known.some((name) => readField(usage, name) !== undefined)) continue;
    for (const [name] of numbers) {
      const isNear = (right: string) => right.length > 6 && countEdits(squash(name), squash(right)) <= 1;
      const right = findNearest(name, known.filter(isNear));
      if (right === '') continue;
      return { field, message: `Unknown field "usage.${name}". Did you mean "${right}"?` };
    }
  }
  return null;
}

/** Since version 6 of the AI SDK, a model's usage nests the counts of `generateText` one level deeper. */
export function flattenAiSdk(usage: unknown): unknown {
  const input = asFields(readField(usage, 'inputTokens'));
  const output = asFields(readField(usage, 'outputTokens'));
  if (input === null && output === null) return usage;
  const { total, noCache, cacheRead, cacheWrite } = input ?? {};
  const details = { noCacheTokens: noCache, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite };
  const counts = { inputTokens: total, outputTokens: output?.total };
  return statedOf({ ...counts, inputTokenDetails: statedOf(details) });
}

/** @throws RangeError for an unknown vendor. */
export function shapeOf(vendor: UsageVendor): Readonly<VendorShape> {
  const shape = SHAPES.find((candidate) => candidate.vendor === vendor);
  if (shape !== undefined) return shape;
  throw new RangeError(`Unknown vendor "${vendor}": one of ${USAGE_VENDORS.join(', ')}`);
}

/** The AI SDK states NaN for an unknown count. JSON has no NaN. */
const isUnknown = (value: unknown): boolean => value === undefined || value === null || Number.isNaN(value);

/** Whether one of the fields has a value. */
export function states(usage: unknown, paths = ''): boolean {
  return paths.split(' ').some((path) => !isUnknown(readPath(usage, path)));
}

/**
 * The counts of a usage, and the context's size if the usage is that of a single call: the vendor's total, else the sum
 * of the parts. A size of 0 means unknown and becomes null.
 * @throws UsageCountError for a count that is not an exact whole number, naming the field.
 */
export function readCounts(
  usage: unknown,
  vendor: UsageVendor,
): UsageCounts & { contextTokens: number | null } {
  const shape = shapeOf(vendor);
  const read = (field: CountField, paths?: string) => readCount(usage, field, paths, vendor === 'ai-sdk');
  const stated = read('inputTokens', shape.input) + read('inputTokens', shape.toolInput);
  const output = read('outputTokens', shape.output) + read('outputTokens', shape.thoughts);
  const cached = read('cacheReadTokens', shape.cacheRead);
  const written = read('cacheCreationTokens', shape.cacheCreation);
  const reasoning = read('outputTokens', shape.reasoning);
  const total = read('outputTokens', shape.total);

  const whole = stated + output + reasoning + (shape.excludesCache ? cached + written : 0);
  const outputTokens = total === whole ? output + reasoning : output;
  const uncached = states(usage, shape.uncached) ? read('inputTokens', shape.uncached) : null;
  const prompt = splitInput(shape, { stated, uncached, cached, written });
  const counts = {
    inputTokens: prompt.input,
    outputTokens,
    cacheReadTokens: prompt.cacheRead,
    cacheCreationTokens: prompt.cacheCreation,
  };
  const parts = Object.values(counts).reduce((sum, part) => sum + Math.max(0, part), 0);
  const size = total > 0 ? total : parts;
  const [last] = vendor === 'anthropic' ? samplingsOf(usage).slice(1).slice(-1) : [];
  if (last !== undefined) return { ...counts, contextTokens: readCounts(last, vendor).contextTokens };
  return { ...counts, contextTokens: size > 0 && Number.isSafeInteger(size) ? size : null };
}

/** The samplings of a message. The message's counts are their sum, and the last one gives the context's size. */
const samplingsOf = (usage: unknown) =>
  readIterations({ iterations: readPath(usage, 'iterations') }).messages;

/** @param given.uncached null: not stated */
function splitInput(
  { vendor, excludesCache }: VendorShape,
  given: { stated: number; uncached: number | null; cached: number; written: number },
) {
  const { stated, uncached, cached, written } = given;
  const asStated = { input: uncached ?? stated, cacheRead: cached, cacheCreation: written };
  if (excludesCache) return asStated;
  if (uncached === null) {
    // Some providers of the AI SDK exclude the cached part from the input, so the cached part may exceed the input.
    const isApart = vendor === 'ai-sdk' && Math.max(0, cached) + Math.max(0, written) > stated;
    return isApart ? asStated : splitPrompt(stated, cached, written);
  }
  return stated < uncached
    ? asStated
    : { ...splitPrompt(stated - uncached, cached, written), input: uncached };
}

function readCount(usage: unknown, field: CountField, paths = '', mayBeNaN = false): number {
  for (const path of paths.split(' ')) {
    const [outer = '', inner] = path.split('.');
    const value = readPath(usage, outer);
    // OpenAI Agents has one entry for each call of a run.
    const entries = inner !== undefined && Array.isArray(value) ? value : [value];
    const counts = entries.map((entry) => (inner === undefined ? entry : readPath(entry, inner)));
    if (counts.every((count) => (mayBeNaN || !Number.isNaN(count)) && isUnknown(count))) continue;
    return counts.reduce<number>((sum, count) => sum + requireCount(count, field, `usage.${path}`), 0);
  }
  return 0;
}

/** The counts alone. */
export function countsOf(usage: UsageCounts): UsageCounts {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = usage;
  return { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens };
}

/** Usage of a turn, and its vendor. */
export interface TurnUsage extends UsageCounts {
  /** The vendor that has this shape. */
  vendor: UsageVendor;
  /**
   * The context's size after the turn, tokens. Valid only for the usage of a single call, because the usage of several
   * calls counts a repeated prefix once per call. Null: unknown.
   */
  contextTokens: number | null;
}

/** Options of `readUsage`. */
export interface ReadUsageOptions {
  /** Vendor of the shape. Default: detected from the fields. */
  vendor?: UsageVendor | undefined;
}

/**
 * Read the usage of a turn from a result message or from the usage itself: a plain object, a Map or an instance with
 * getters, in the shape of Anthropic (and the Claude Agent SDK), OpenAI (Chat Completions, Responses, Agents), Codex,
 * Gemini, opencode, the AI SDK, or this library. Absent and null fields are 0.
 * @returns null without usage, or without any known field.
 * @throws UsageCountError for a count that is not an exact whole number, naming the field.
 */
export function readUsage(value: unknown, { vendor }: ReadUsageOptions = {}): TurnUsage | null {
  const stated = findUsage(value);
  if (stated === null) return null;
  const usage = flattenAiSdk(stated ?? value);
  const isStated = stated !== undefined;
  const mistyped = findMistyped(usage);
  if (mistyped !== null) throw new UsageCountError('invalid_count', mistyped.field, mistyped.message);
  const detected = detectVendor(usage, isStated);
  // In an empty usage, all counts are absent, so each is 0.
  const isEmpty = isStated && isEmptyRecord(stated);
  const isRead = detected !== null || (isStated && (vendor !== undefined || isEmpty));
  const shape = vendor ?? detected ?? 'anthropic';
  if (shape === 'ai-sdk' && !states(usage, `${AI_SDK.input} ${AI_SDK.output}`)) return null;
  return isRead ? { ...readCounts(usage, shape), vendor: shape } : null;
}
