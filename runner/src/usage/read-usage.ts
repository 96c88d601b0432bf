import { isEmptyRecord, readPath } from './read-field';
import { detectVendor, readCounts, type UsageCounts, type UsageVendor } from './vendor-shapes';

/** What a turn spent, and the vendor of the figures. */
export interface TurnUsage extends UsageCounts {
  vendor: UsageVendor;
  /**
   * The size of the context after it, tokens, if this is the usage of one single call: a whole turn's usage
   * counts each prefix again that was sent again. Null: it states none.
   */
  contextTokens: number | null;
}

/** How a usage is read. */
export interface ReadUsageOptions {
  /** Vendor of the shape. Default: detected by its fields. */
  vendor?: UsageVendor | undefined;
}

/** Where result messages carry their usage: all vendors, and Codex's and opencode's events. */
const PLACES = [
  'usage',
  'usageMetadata',
  'usage_metadata',
  'tokens',
  'response.usage',
  'response.usageMetadata',
  'part.tokens',
  'info.tokens',
  'payload.info.last_token_usage',
  'message.usage',
] as const;

/** The raw usage of a result message; null where the vendor said null, undefined where it has none. */
export function findUsage(message: unknown): unknown {
  for (const place of PLACES) {
    const value = readPath(message, place);
    if (value !== undefined) return value;
  }
  return undefined;
}

/**
 * Reads what a turn spent from a result message or from a usage itself: a plain object, a Map or an instance
 * with getters, in the shape of Anthropic (and the Claude Agent SDK), OpenAI (Chat Completions, Responses,
 * Agents), Codex, Gemini, opencode, the AI SDK, or this library. Absent and null fields are 0.
 * @returns null where it states no usage, or one without any known field.
 * @throws UsageCountError for a count that is no exact whole number, naming the field.
 */
export function readUsage(value: unknown, { vendor }: ReadUsageOptions = {}): TurnUsage | null {
  const stated = findUsage(value);
  if (stated === null) return null;
  const isStated = stated !== undefined;
  const usage = isStated ? stated : value;
  const detected = detectVendor(usage, isStated);
  // An empty usage: all counts are absent, so 0 each.
  const fallback = isStated ? (vendor ?? (isEmptyRecord(stated) ? 'anthropic' : null)) : null;
  const shape = detected === null ? fallback : (vendor ?? detected);
  return shape === null ? null : { ...readCounts(usage, shape), vendor: shape };
}
