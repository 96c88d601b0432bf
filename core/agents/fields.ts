import { cleanName } from '../protocol/clean-name';

/** Readers of untrusted JSON. A reader returns null, or an empty list, if the value is absent or has another type. */
/** A UUID, as clients use it for their session ids. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Model name of messages that Claude Code writes itself, such as API errors. */
export const SYNTHETIC = '<synthetic>';

export type Fields = Record<string, unknown>;

export function asFields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

export function parseFields(text: string): Fields | null {
  try {
    return asFields(JSON.parse(text));
  } catch {
    return null;
  }
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function asNonEmptyText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Trimmed, non-empty text without NUL, cut to `max` characters. */
export function cleanText(value: unknown, max = 400): string | null {
  if (typeof value !== 'string') return null;
  const clean = value.replaceAll('\u0000', '').trim();
  return clean === '' ? null : cutText(clean, max);
}

/** Cut a text to `max` characters, never between the halves of a surrogate pair. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.charCodeAt(max - 2) >> 10 === 0x36 ? max - 2 : max - 1;
  return `${text.slice(0, cut)}…`;
}

/** Integer from 0 to 2^53−1. */
export function asCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

export function asTime(value: unknown): number | null {
  if (typeof value !== 'string' || value.length > 40) return null;
  const at = Date.parse(value);
  return Number.isFinite(at) && at >= 0 && at <= 253_402_300_799_999 ? at : null;
}

export function asSeconds(value: unknown): number | null {
  const at = asTime(value);
  return at === null ? null : at / 1000;
}

export function present<T extends object>(fields: T) {
  const known = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(known) as { [K in keyof T]?: NonNullable<T[K]> };
}

/** Indented JSON, or a note if the value is nested too deeply. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return '[nested too deeply to be shown; see the source of the line]';
  }
}

/** The parts of a path. The separator is a slash, or a backslash if the path has no slash. */
export function pathParts(path: string): string[] {
  return path.split(path.includes('/') ? '/' : '\\').filter(Boolean);
}

export function baseName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? '';
}

/** The project of a session in this folder, by the folder's name. Null: the name has no visible character. */
export function projectOf(folder: string | null): string | null {
  return folder === null ? null : cleanName(baseName(folder).slice(0, 200));
}
