/** Parses settings. An empty or blank value counts as not set. */
import { findNearest } from './find-nearest';
import { SETTINGS } from './setting-list';

export { findNearest } from './find-nearest';

export type Environment = Readonly<Record<string, string | undefined>>;

/** An invalid setting. The message is a sentence that names the setting. */
export class SettingError extends Error {
  readonly setting: string;

  constructor(setting: string, reason: string) {
    super(`${setting}: ${reason}`);
    this.name = 'SettingError';
    this.setting = setting;
  }
}

export function readText(environment: Environment, name: string): string | null {
  const value = environment[name]?.trim();
  return value === undefined || value === '' ? null : value;
}

/** @throws SettingError unless the value is a whole number from `least` to `most`. */
export function readInteger(
  environment: Environment,
  name: string,
  fallback: number,
  range: { least: number; most: number },
): number {
  const text = readText(environment, name);
  if (text === null) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= range.least && value <= range.most) return value;
  throw new SettingError(name, `"${text}" is not a whole number from ${range.least} to ${range.most}.`);
}

/** @throws SettingError unless the value is one of `choices`, case-insensitive. */
export function readChoice<T extends string>(
  environment: Environment,
  name: string,
  fallback: T,
  choices: readonly T[],
): T {
  const text = readText(environment, name);
  if (text === null) return fallback;
  const choice = choices.find((candidate) => candidate === text.toLowerCase());
  if (choice !== undefined) return choice;
  throw new SettingError(name, `"${text}" is not one of ${choices.join(', ')}.`);
}

/** @throws SettingError unless the value is an absolute path. */
export function readPath(environment: Environment, name: string): string | null {
  const text = readText(environment, name);
  if (text === null || /^(\/|[A-Za-z]:[\\/])/.test(text)) return text;
  throw new SettingError(name, `"${text}" is not an absolute path.`);
}

/** Refuse unknown `BAROGRAPH_` variables. @throws SettingError that names the nearest known setting. */
export function refuseUnknown(environment: Environment): void {
  const [first] = findUnknown(environment);
  if (first !== undefined) throw first;
}

/** The errors of `refuseUnknown`, for callers that report errors and continue. */
export function findUnknown(environment: Environment): SettingError[] {
  const known = SETTINGS.map((setting) => setting.name);
  return Object.keys(environment)
    .sort()
    .filter((name) => name.startsWith('BAROGRAPH_') && !known.includes(name))
    .map(
      (name) => new SettingError(name, `there is no such setting. Did you mean ${findNearest(name, known)}?`),
    );
}
