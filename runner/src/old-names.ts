/** Accepts the names that the library had before one word stood for each thing: docs/decisions/0060-one-word-for-a-thing.md. */

const hinted = new Set<string>();

/** Warn once per process that a name was replaced. Node shows it like its own deprecations. */
export function hintRenamed(owner: string, old: string, now: string): void {
  const message = `${owner}: "${old}" is now "${now}". The old name is accepted until version 1.0.`;
  if (hinted.has(message)) return;
  hinted.add(message);
  globalThis.process?.emitWarning?.(message, { type: 'DeprecationWarning', code: 'BAROGRAPH_RENAMED' });
}

/** The new name, and how its value follows from the old value. Default: the same value. */
type Renamed = string | readonly [now: string, convert: (value: unknown) => unknown];

/**
 * The options under their new names; a new name prevails over the old one.
 * @param owner the class or function, for the hint.
 * @param names the old names.
 */
export function takeOldNames<T extends object>(
  owner: string,
  options: T,
  names: Readonly<Record<string, Renamed>>,
): T {
  const given = Object.keys(options).filter((name) => Object.hasOwn(names, name));
  if (given.length === 0) return options;
  const taken = { ...options } as Record<string, unknown>;
  for (const old of given) {
    const [now, convert] = pairOf(names[old] ?? old);
    hintRenamed(owner, old, now);
    const value = taken[old];
    delete taken[old];
    if (value !== undefined) taken[now] ??= convert(value);
  }
  return taken as T;
}

const pairOf = (renamed: Renamed): readonly [now: string, convert: (value: unknown) => unknown] =>
  typeof renamed === 'string' ? [renamed, (value) => value] : renamed;

/** Let an object also be read by old names, which are not part of its JSON. @returns the object. */
export function readByOldNames<T extends object>(
  owner: string,
  object: T,
  names: Readonly<Record<string, keyof T & string>>,
): T {
  for (const [old, now] of Object.entries(names)) {
    Object.defineProperty(object, old, {
      configurable: true,
      get: () => {
        hintRenamed(owner, old, now);
        return object[now];
      },
    });
  }
  return object;
}

/** A share as a percentage, without the error of binary fractions: 0.575 is 57.5. */
export function percentOf(share: number): number {
  return Number((share * 100).toPrecision(15));
}

/** A percentage as a share, without the error of binary fractions: 57.5 is 0.575. */
export function shareOfPercent(percent: unknown): unknown {
  return typeof percent === 'number' ? Number((percent / 100).toPrecision(15)) : percent;
}
