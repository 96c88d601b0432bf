import * as z from 'zod';
import { PROTOCOL_LIMITS } from './limits';

const { maxKeyLength, maxLabelLength, maxTextLength } = PROTOCOL_LIMITS;

/** Postgres cannot store NUL or half of a surrogate pair. One such text would fail the commit of all items. */
const UNSTORABLE = String.raw`\u0000\p{Cs}`;
export const storable = new RegExp(`^[^${UNSTORABLE}]*$`, 'u');
export const notStorable = 'must not contain a NUL character or half of a surrogate pair';

export const key = z.string().min(1).max(maxKeyLength).regex(storable, notStorable);
export const label = z.string().max(maxLabelLength).regex(storable, notStorable);
export const text = z.string().max(maxTextLength).regex(storable, notStorable);

/** A token count: an integer, |n| ≤ 2^53−1. A negative count is stored, counted as 0 and flagged. */
export const count = z.int('must be a whole number from −(2^53−1) to 2^53−1');

export const size = z.int('must be a whole number of at most 2^53−1').min(0, 'must not be negative');

/** Position of an item in its stream: 1, 2, 3 … */
export const seq = z.int('must be a whole number from 1').min(1, 'must be a whole number from 1');

/** The end of the year 9999. */
const LAST_INSTANT = 253_402_300_799_999;
const notInstant = 'must be milliseconds since the epoch, up to the year 9999';

export const instant = z.number(notInstant).min(0, notInstant).max(LAST_INSTANT, notInstant);

export const usage = z.object({
  input: count.optional(),
  output: count.optional(),
  cacheRead: count.optional(),
  cacheCreation: count.optional(),
});

/** Fields that hold a number of tokens or items. An invalid value is refused as `invalid_count`. */
const COUNT_FIELDS: ReadonlySet<string> = new Set([
  'usage.input',
  'usage.output',
  'usage.cacheRead',
  'usage.cacheCreation',
  'contextTokens',
  'limit',
  'compactsAt',
  'preTokens',
  'postTokens',
  'tokensCleared',
  'before',
  'after',
  'count',
  'composition.roles.tokens',
  'composition.suggestions.tokensSaved',
  'composition.compression.tokensRemoved',
  'composition.compression.tokensLeft',
]);

/** @param field a path; indexes, as in `composition.roles.0.tokens`, are ignored */
export function isCountField(field: string): boolean {
  return COUNT_FIELDS.has(field.replaceAll(/\.\d+(?=\.)/g, ''));
}
