import * as z from 'zod';
import { exceeds } from './code-points';
import { PROTOCOL_LIMITS } from './limits';

const { maxKeyLength, maxLabelLength, maxTextLength } = PROTOCOL_LIMITS;

/** Postgres cannot store NUL or half of a surrogate pair. One such text would fail the commit of all items. */
const UNSTORABLE = String.raw`\u0000\p{Cs}`;
export const storable = new RegExp(`^[^${UNSTORABLE}]*$`, 'u');
export const notStorable = 'must not contain a NUL character or half of a surrogate pair';

/** As zod's `maxLength`, but counts code points as the JSON Schema does that states the limit. zod counts UTF-16 units. */
export function atMost(schema: z.ZodString, max: number): z.ZodString {
  const check = z.maxLength(max, `must have at most ${max} characters`);
  const countUnits = check._zod.check;
  check._zod.check = (payload) => (exceeds(payload.value as string, max) ? countUnits(payload) : undefined);
  return schema.check(check);
}

export const key = atMost(z.string().min(1), maxKeyLength).regex(storable, notStorable);
export const label = atMost(z.string(), maxLabelLength).regex(storable, notStorable);
export const text = atMost(z.string(), maxTextLength).regex(storable, notStorable);

/** A number with one fault, which the description in the JSON Schema also gives. */
const described = <T extends z.ZodNumber>(
  what: string,
  limit: (number: z.ZodNumber, fault: string) => T,
): T => limit(z.number(`must be ${what}`), `must be ${what}`).describe(what);

/** A token count: an integer, |n| ≤ 2^53−1. A negative count is stored, counted as 0 and flagged. */
export const count = described('a whole number from −(2^53−1) to 2^53−1', (n, fault) => n.int(fault));

export const size = described('a whole number from 0 to 2^53−1', (n, fault) => n.int(fault).min(0, fault));

/** Position of an item in its stream: 1, 2, 3 … */
export const seq = described('a whole number from 1 to 2^53−1', (n, fault) => n.int(fault).min(1, fault));

/** The end of the year 9999. */
const LAST_INSTANT = 253_402_300_799_999;

export const instant = described('milliseconds since the epoch, up to the year 9999', (n, fault) =>
  n.min(0, fault).max(LAST_INSTANT, fault),
);

export const usage = z.object({
  input: count.optional(),
  output: count.optional(),
  cacheRead: count.optional(),
  cacheCreation: count.optional(),
});
