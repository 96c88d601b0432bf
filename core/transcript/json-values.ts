/** JSON as bytes: where a value ends. Its structure is ASCII, so nothing has to be decoded. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The offset after the object or array that begins at `from`, white space before it skipped; null when it does not
 * close, or neither begins there. What is inside may still be no JSON.
 */
export function endOfValue(bytes: Uint8Array, from: number): number | null {
  let i = from;
  while (bytes[i] === 0x20 || bytes[i] === 0x09 || bytes[i] === 0x0d) i += 1;
  if (bytes[i] !== 0x7b && bytes[i] !== 0x5b) return null;
  let depth = 0;
  while (i < bytes.length) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      const end = endOfString(bytes, i);
      if (end === null) return null;
      i = end;
      continue;
    }
    if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
    i += 1;
  }
  return null;
}

/** The offset after the string whose opening quote is at `from`; null: it does not close. */
function endOfString(bytes: Uint8Array, from: number): number | null {
  for (let at = bytes.indexOf(QUOTE, from + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (at - 1 - slashes > from && bytes[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return null;
}

export type Fields = Record<string, unknown>;

export function asFields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A count: a whole number from 0. */
export function asCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Seconds since the epoch of a time in ISO 8601. */
export function asSeconds(value: unknown): number | null {
  if (typeof value !== 'string' || value.length > 40) return null;
  const at = Date.parse(value);
  return Number.isFinite(at) && at >= 0 && at <= 253_402_300_799_999 ? at / 1000 : null;
}

/** Indented JSON; on one line where nesting is too deep for it, and the reason where even that fails. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return '[nested too deeply to be shown; see the source of the line]';
  }
}
