/** Reading of untrusted JSON: each returns undefined where the field is absent or of another kind. */
export type Fields = Record<string, unknown>;

export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

export function fieldsOf(from: Fields, name: string): Fields | undefined {
  return asFields(from[name]);
}

/** A non-empty text that Postgres can hold, cut to `max` characters. */
export function textOf(from: Fields, name: string, max = 400): string | undefined {
  const value = from[name];
  return typeof value === 'string' ? cleanText(value, max) : undefined;
}

export function cleanText(value: string, max: number): string | undefined {
  const clean = value.replaceAll('\u0000', '').trim();
  if (clean === '') return undefined;
  if (clean.length <= max) return clean;
  // Not between the halves of a surrogate pair.
  const cut = clean.charCodeAt(max - 2) >> 10 === 0x36 ? max - 2 : max - 1;
  return `${clean.slice(0, cut)}…`;
}

/** A count that the wire accepts as a size: a whole number from 0. */
export function sizeOf(from: Fields, name: string): number | undefined {
  const value = from[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Milliseconds since the epoch. */
export function timeOf(from: Fields, name: string): number | undefined {
  const value = from[name];
  if (typeof value !== 'string') return undefined;
  const at = Date.parse(value);
  return Number.isFinite(at) && at >= 0 && at <= 253_402_300_799_999 ? at : undefined;
}
