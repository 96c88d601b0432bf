import type { z } from 'zod';
import { InvalidParameterError } from './invalid-parameter-error';

/**
 * Opaque cursors: the sort key of the last row that was sent. The next page begins behind that key, so rows
 * that come or go meanwhile neither repeat nor hide others, and equal keys are told apart by the row's id.
 */
export function encodeCursor(key: object): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** @throws InvalidParameterError when it is no cursor of this list. */
export function decodeCursor<T>(cursor: string, shape: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw new InvalidParameterError('cursor', 'is none of this API');
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success) {
    throw new InvalidParameterError('cursor', 'belongs to another list or order: begin again without it');
  }
  return parsed.data;
}
