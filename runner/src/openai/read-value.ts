/** Reads fields of a response whose shape nobody vouches for. */

export type Fields = Readonly<Record<string, unknown>>;

/** The value's fields where it is an object, else null. */
export function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null ? (value as Fields) : null;
}

/** The elements where it is a list, else none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that says something, else null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}
