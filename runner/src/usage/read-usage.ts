import { isEmptyRecord, readPath } from './read-field';
import { detectVendor, readCounts, type UsageCounts, type UsageVendor } from './vendor-shapes';

/** Usage of a turn, and its vendor. */
export interface TurnUsage extends UsageCounts {
  vendor: UsageVendor;
  /**
   * The context's size after the turn, tokens, if this is the usage of a single call; the usage of several calls counts a
   * repeated prefix once per call. Null: unknown.
   */
  contextTokens: number | null;
}

/** Options of `readUsage`. */
export interface ReadUsageOptions {
  /** Vendor of the shape. Default: detected from the fields. */
  vendor?: UsageVendor | undefined;
}

/** Where result messages have their usage: all vendors, and the events of Codex and opencode. */
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

/** The raw usage of a result message; null if the vendor sent null, undefined without one. */
export function findUsage(message: unknown): unknown {
  for (const place of PLACES) {
    const value = readPath(message, place);
    if (value !== undefined) return value;
  }
  return undefined;
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
  const usage = stated ?? value;
  const isStated = stated !== undefined;
  const detected = detectVendor(usage, isStated);
  // In an empty usage, all counts are absent: 0 each.
  const isEmpty = isStated && isEmptyRecord(stated);
  const isRead = detected !== null || (isStated && (vendor !== undefined || isEmpty));
  const shape = vendor ?? detected ?? 'anthropic';
  return isRead ? { ...readCounts(usage, shape), vendor: shape } : null;
}
