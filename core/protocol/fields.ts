import { z } from 'zod';
import { PROTOCOL_LIMITS } from './limits';

const { maxKeyLength, maxLabelLength, maxTextLength } = PROTOCOL_LIMITS;

const NUL = '\u0000';
/** Postgres text cannot hold NUL, so it is refused at the door instead of failing a commit. */
const withoutNul = (value: string) => !value.includes(NUL);
const nulMessage = 'must not contain a NUL character';

/** A name that identifies something: a session, a chain, a call. */
export const key = z.string().min(1).max(maxKeyLength).refine(withoutNul, nulMessage);
/** A short text for people. */
export const label = z.string().max(maxLabelLength).refine(withoutNul, nulMessage);
/** A long text, such as a checkpoint. */
export const text = z.string().max(maxTextLength).refine(withoutNul, nulMessage);

/** A token count in the sense of the wire: an integer, |n| ≤ 2^53−1. Negative ones are stored, counted as 0 and flagged. */
export const count = z
  .number({ error: 'must be a whole number of tokens' })
  .refine(Number.isSafeInteger, 'must be a whole number of at most 2^53−1 in size');

/** A count that cannot be negative (a reading, a limit, bytes). */
export const size = z
  .number({ error: 'must be a whole number' })
  .refine(Number.isSafeInteger, 'must be a whole number of at most 2^53−1')
  .refine((n) => n >= 0, 'must not be negative');

/** Position of an item in its stream: 1, 2, 3 … */
export const seq = z
  .number({ error: 'must be a whole number from 1' })
  .refine((n) => Number.isSafeInteger(n) && n >= 1, 'must be a whole number from 1');

/** Milliseconds since the epoch by the runner's clock. */
export const instant = z
  .number({ error: 'must be milliseconds since the epoch' })
  .refine(
    (n) => Number.isFinite(n) && n >= 0 && n <= 253_402_300_799_999,
    'must be milliseconds since the epoch, up to the year 9999',
  );

export const usage = z.object({
  input: count.optional(),
  output: count.optional(),
  cacheRead: count.optional(),
  cacheCreation: count.optional(),
});
