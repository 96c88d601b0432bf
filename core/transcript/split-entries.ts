/**
 * Cuts the bytes of a file into entries. An entry is one JSON value or one line. Every byte belongs to exactly one
 * entry. The splitter keeps the incomplete line. A line beyond `MAX_LINE_BYTES` becomes an entry without bytes.
 */
export interface EntryBytes {
  /** Line of the file, from 0. */
  line: number;
  /** Byte offsets in the file: [from, to). */
  from: number;
  to: number;
  /** Bytes without the line feed. Null: the line is too long. */
  bytes: Uint8Array | null;
}

export const MAX_LINE_BYTES = 32 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** @param cut returns the offsets that divide a line into entries, ascending, without start and end */
export function createEntrySplitter(
  cut: (line: Uint8Array) => readonly number[] = () => [],
  maxLineBytes = MAX_LINE_BYTES,
) {
  let parts: Uint8Array[] = [];
  let held = 0;
  let isTooLong = false;
  let line = 0;
  let lineStart = 0;

  const take = (piece: Uint8Array): void => {
    held += piece.length;
    isTooLong ||= held > maxLineBytes;
    if (isTooLong) parts = [];
    else if (piece.length > 0) parts.push(piece);
  };

  /** @param feed 1 if a line feed ended the line, else 0 */
  const finish = (feed: 0 | 1): EntryBytes[] => {
    const start = lineStart;
    const end = start + held + feed;
    const bytes = isTooLong ? null : joinBytes(parts);
    const entries: EntryBytes[] = [];
    let from = 0;
    for (const to of bytes === null ? [] : cut(bytes)) {
      entries.push({ line, from: start + from, to: start + to, bytes: bytes?.subarray(from, to) ?? null });
      from = to;
    }
    entries.push({ line, from: start + from, to: end, bytes: bytes?.subarray(from) ?? null });
    line += 1;
    lineStart = end;
    parts = [];
    held = 0;
    isTooLong = false;
    return entries;
  };

  return {
    push(chunk: Uint8Array): EntryBytes[] {
      const entries: EntryBytes[] = [];
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
        take(chunk.subarray(from, at));
        for (const entry of finish(1)) entries.push(entry);
        from = at + 1;
      }
      take(chunk.subarray(from));
      return entries;
    },
    end: (): EntryBytes[] => (held === 0 ? [] : finish(0)),
  };
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Offsets between the JSON values of one line. The rest after the last value stays one piece. */
export function cutGluedValues(line: Uint8Array): number[] {
  const cuts: number[] = [];
  let from = 0;
  for (;;) {
    const end = endOfValue(line, from);
    if (end === null || isBlank(line, end)) return cuts;
    cuts.push(end);
    from = end;
  }
}

function isBlank(bytes: Uint8Array, from: number): boolean {
  for (let i = from; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Offset after the object or array that follows `from` and white space. Null: no complete value follows. */
function endOfValue(bytes: Uint8Array, from: number): number | null {
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

/** Offset after the string with its opening quote at `from`. Null: the string has no end. */
function endOfString(bytes: Uint8Array, from: number): number | null {
  for (let at = bytes.indexOf(QUOTE, from + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (at - 1 - slashes > from && bytes[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return null;
}
