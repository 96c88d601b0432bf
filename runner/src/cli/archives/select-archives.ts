/** Which archives a command is about. */
import { type ListedArchive, listArchives } from '../../archive/archive-index';
import { type CommandContext, textValue, UsageError, type Values } from '../command';
import { configFolderFor } from '../connection';

/** Newest first. @throws UsageError where nothing says where archives lie. */
export async function selectArchives({ values }: Pick<CommandContext, 'values'>): Promise<ListedArchive[]> {
  const session = textValue(values, 'session');
  return listArchives(configFolderFor(values), session === undefined ? {} : { session });
}

const HOUR_MS = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };

/** Milliseconds; null: not given. @throws UsageError for what is no time. */
export function ageValue(values: Values, name: string): number | null {
  const text = textValue(values, name);
  if (text === undefined) return null;
  const [, digits, unit] = /^(\d{1,6})([hdw])$/.exec(text.trim()) ?? [];
  const unitMs = unit === undefined ? undefined : UNITS[unit];
  if (digits === undefined || unitMs === undefined) {
    throw new UsageError(`--${name} takes hours, days or weeks, as in 12h, 30d, 8w, and not "${text}".`);
  }
  return Number(digits) * unitMs;
}
