/**
 * Records whose keys come from outside (chain keys, model names). A plain `record[key]` would answer
 * `constructor` with a function and write `__proto__` into the prototype; these two touch own keys only,
 * and the record stays plain JSON.
 */

export function getOwn<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export function setOwn<T>(record: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    record[key] = value;
  }
}
