import type * as z from 'zod';
import { InvalidParameterError } from './invalid-parameter-error';

/**
 * A cursor is the sort key of the last sent row, so that new rows neither repeat nor hide others. Clients treat it as
 * opaque.
 */
export function encodeCursor(key: object): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** @throws InvalidParameterError unless the text is a cursor of this list. */
export function decodeCursor<T>(cursor: string | undefined, shape: z.ZodType<T>): T | null {
  if (cursor === undefined) return null;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw new InvalidParameterError('cursor', 'is not a cursor of this API');
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success) {
    throw new InvalidParameterError('cursor', 'belongs to another list or order: start without it');
  }
  return parsed.data;
}

/** A page of rows. `rows` has one row beyond the limit if more rows follow. `keyOf`: sort key of a row. */
export function pageOf<R>(rows: readonly R[], limit: number, keyOf: (last: R) => object) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, nextCursor: rows.length > limit && last ? encodeCursor(keyOf(last)) : null };
}
