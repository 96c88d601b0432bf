/** A field of a plain object, a Map, or an instance with getters; undefined if the field is absent. */
export function readField(from: unknown, name: string): unknown {
  if (from instanceof Map) return from.get(name);
  if (typeof from !== 'object' || from === null) return undefined;
  return (from as Record<string, unknown>)[name];
}

/** A field of a field, as in `part.tokens`. */
export function readPath(from: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>(readField, from);
}

/** A field with a non-empty text. */
export function readText(from: unknown, name: string): string | undefined {
  const value = readField(from, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether it is an empty plain object or Map. */
export function isEmptyRecord(value: unknown): boolean {
  if (value instanceof Map) return value.size === 0;
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.keys(value).length === 0;
}

type Stated<T> = { [K in keyof T]?: Exclude<T[K], undefined | null> };

/** The fields that are neither undefined nor null, as an item of the protocol requires. */
export function statedOf<T extends object>(fields: T): Stated<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as Stated<T>;
}
