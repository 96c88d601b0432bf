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

/** The usage of a message, or why there is none. */
export type UsageFinding =
  | { found: true; usage: TurnUsage }
  /** `absent`: nothing was stated. `unknown_shape`: the stated usage has no known field. */
  | { found: false; reason: 'absent' | 'unknown_shape' };

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
export function readUsage(value: unknown, options: ReadUsageOptions = {}): TurnUsage | null {
  const finding = inspectUsage(value, options);
  return finding.found ? finding.usage : null;
}

/** As `readUsage`, with the reason where there is none. */
export function inspectUsage(value: unknown, { vendor }: ReadUsageOptions = {}): UsageFinding {
  const stated = findUsage(value);
  if (stated === null) return { found: false, reason: 'absent' };
  if (stated === undefined) {
    const own = detectVendor(value, false);
    return own === null ? { found: false, reason: 'absent' } : read(value, vendor ?? own);
  }
  const detected = vendor ?? detectVendor(stated, true);
  if (detected !== null) return read(stated, detected);
  // An empty usage: all counts are absent, so 0 each.
  if (isEmptyRecord(stated)) return read(stated, 'anthropic');
  return { found: false, reason: 'unknown_shape' };
}

function read(usage: unknown, vendor: UsageVendor): UsageFinding {
  return { found: true, usage: { ...readCounts(usage, vendor), vendor } };
}
