import { findNear } from './find-nearest';

/** An unknown or retired setting. The message is a sentence that names the setting. */
export class UnknownSettingError extends Error {
  /** The name that was refused. */
  readonly setting: string;
  /** The known setting with a similar name. Null: no name is similar. */
  readonly nearest: string | null;

  constructor(setting: string, nearest: string | null, retired: string | null, known: readonly string[]) {
    const names = known.length === 0 ? '' : `The settings are ${known.join(', ')}.`;
    const remedy = retired ?? (nearest === null ? names : `Did you mean "${nearest}"?`);
    super(`Unknown setting "${setting}".${remedy === '' ? '' : ` ${remedy}`}`);
    this.name = 'UnknownSettingError';
    this.setting = setting;
    this.nearest = nearest;
  }
}

/** Optional arguments of `refuseUnknownSettings`. */
export interface KnownSettings {
  /** Retired settings: the name, and a sentence about the replacement. */
  retired?: Readonly<Record<string, string>>;
}

/**
 * Refuse unknown settings, because a mistyped name would otherwise have no effect. The search for the nearest name
 * ignores the difference between `snake_case` and `camelCase`.
 *
 * @param settings the object a person filled in; absent counts as empty.
 * @param known the valid names.
 * @param optional retired settings.
 * @throws UnknownSettingError for the first unknown name, in the object's order.
 */
export function refuseUnknownSettings(
  settings: object | null | undefined,
  known: readonly string[],
  { retired = {} }: KnownSettings = {},
): void {
  for (const name of Object.keys(settings ?? {})) {
    if (known.includes(name)) continue;
    const squashed = new Map(known.map((candidate) => [squash(candidate), candidate]));
    const nearest = squashed.get(findNear(squash(name), [...squashed.keys()]) ?? '') ?? null;
    throw new UnknownSettingError(
      name,
      nearest,
      Object.hasOwn(retired, name) ? (retired[name] ?? null) : null,
      known,
    );
  }
}

function squash(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase();
}
