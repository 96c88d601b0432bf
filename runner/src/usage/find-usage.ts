import { readPath } from './read-field';

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

/** The raw usage of a result message; null if the vendor sent null, undefined if the message has none. */
export function findUsage(message: unknown): unknown {
  for (const place of PLACES) {
    const value = readPath(message, place);
    if (value !== undefined) return value;
  }
  return undefined;
}
