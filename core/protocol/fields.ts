import { z } from 'zod';
import { PROTOCOL_LIMITS } from './limits';

const { maxKeyLength, maxLabelLength, maxTextLength } = PROTOCOL_LIMITS;

/** Postgres text holds neither NUL nor half of a surrogate pair; such a commit would fail for others too. */
const UNSTORABLE = String.raw`\u0000\p{Cs}`;
export const storable = new RegExp(`^[^${UNSTORABLE}]*$`, 'u');
export const notStorable = 'must not contain a NUL character or half of a surrogate pair';

/** A name that identifies something: a session, a chain, a call. */
export const key = z.string().min(1).max(maxKeyLength).regex(storable, notStorable);
/** A short text for people. */
export const label = z.string().max(maxLabelLength).regex(storable, notStorable);
/** A long text, such as a checkpoint. */
export const text = z.string().max(maxTextLength).regex(storable, notStorable);

/** A token count in the sense of the wire: an integer, |n| ≤ 2^53−1. Negative ones are stored, counted as 0 and flagged. */
export const count = z.int('must be a whole number of at most 2^53−1 in size');

/** A count that cannot be negative (a reading, a limit, bytes). */
export const size = z.int('must be a whole number of at most 2^53−1').min(0, 'must not be negative');

/** Position of an item in its stream: 1, 2, 3 … */
export const seq = z.int('must be a whole number from 1').min(1, 'must be a whole number from 1');

/** The last instant a date can name: the end of the year 9999, in milliseconds since the epoch. */
const LAST_INSTANT = 253_402_300_799_999;
const notInstant = 'must be milliseconds since the epoch, up to the year 9999';

/** Milliseconds since the epoch by the runner's clock. */
export const instant = z.number(notInstant).min(0, notInstant).max(LAST_INSTANT, notInstant);

export const usage = z.object({
  input: count.optional(),
  output: count.optional(),
  cacheRead: count.optional(),
  cacheCreation: count.optional(),
});

/** Fields that hold token counts: a wrong one is refused as `invalid_count`, by whatever rule it breaks. */
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

/** @param field a path, as in `usage.input`; the places in a list, as in `composition.roles.0.tokens`, say nothing. */
export function isCountField(field: string): boolean {
  return COUNT_FIELDS.has(field.replaceAll(/\.\d+(?=\.)/g, ''));
}
