import { findNearest } from './find-nearest';

/** A setting that does not exist, or no longer does; the message is a sentence that names it. */
export class UnknownSettingError extends Error {
  /** The name that was refused. */
  readonly setting: string;
  /** The known setting with the most similar name; null where there is none. */
  readonly nearest: string | null;

  constructor(setting: string, nearest: string | null, retired: string | null) {
    const remedy = retired ?? (nearest === null ? '' : `Did you mean "${nearest}"?`);
    super(`Unknown setting "${setting}".${remedy === '' ? '' : ` ${remedy}`}`);
    this.name = 'UnknownSettingError';
    this.setting = setting;
    this.nearest = nearest;
  }
}

/** What `refuseUnknownSettings` knows beyond the names that mean something. */
export interface KnownSettings {
  /** Settings that once existed: the name, and a sentence that says what stands in their place. */
  retired?: Readonly<Record<string, string>>;
}

/**
 * Refuses settings that mean nothing: a mistyped name would otherwise be a setting that silently does not hold.
 * `snake_case` and `camelCase` are one name when the nearest is looked for.
 *
 * @param settings the object a person filled in; absent counts as empty.
 * @param known the names that mean something.
 * @throws UnknownSettingError for the first name, in the object's order, that is none of them.
 */
export function refuseUnknownSettings(
  settings: object | null | undefined,
  known: readonly string[],
  { retired = {} }: KnownSettings = {},
): void {
  for (const name of Object.keys(settings ?? {})) {
    if (known.includes(name)) continue;
    const squashed = new Map(known.map((candidate) => [squash(candidate), candidate]));
    const nearest = squashed.get(findNearest(squash(name), [...squashed.keys()])) ?? null;
    throw new UnknownSettingError(
      name,
      nearest,
      Object.hasOwn(retired, name) ? (retired[name] ?? null) : null,
    );
  }
}

function squash(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase();
}
