import { type EntryBytes, joinBytes, MAX_LINE_BYTES } from './split-entries';

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Cut one JSON document into entries: its start, and the objects in its top-level lists. Each entry includes the bytes
 * up to the next entry; the last entry includes the end of the document. Every byte belongs to exactly one entry.
 */
export function createDocumentSplitter(maxBytes = MAX_LINE_BYTES) {
  let parts: Uint8Array[] = [];
  const entry = { from: 0, line: 0 };
  let offset = 0;
  let line = 0;
  let depth = 0;
  let isInList = false;
  let isInString = false;
  let isEscaped = false;

  const finish = (): EntryBytes[] => {
    if (offset === entry.from) return [];
    const isTooLong = offset - entry.from > maxBytes;
    const cut = { ...entry, to: offset, bytes: isTooLong ? null : joinBytes(parts) };
    Object.assign(entry, { from: offset, line });
    parts = [];
    return [cut];
  };

  const hold = (piece: Uint8Array): void => {
    offset += piece.length;
    if (offset - entry.from > maxBytes) parts = [];
    else if (piece.length > 0) parts.push(piece);
  };

  /** @returns whether an object of a top-level list begins with this byte */
  const step = (byte: number): boolean => {
    if (byte === LINE_FEED) line += 1;
    if (isInString) {
      if (byte === QUOTE && !isEscaped) isInString = false;
      isEscaped = byte === BACKSLASH && !isEscaped;
      return false;
    }
    if (byte === QUOTE) isInString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth === 2) isInList = byte === 0x5b;
      return depth === 3 && isInList && byte === 0x7b;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    return false;
  };

  return {
    push(chunk: Uint8Array): EntryBytes[] {
      const entries: EntryBytes[] = [];
      let from = 0;
      for (let at = 0; at < chunk.length; at += 1) {
        if (!step(chunk[at] ?? 0)) continue;
        hold(chunk.subarray(from, at));
        entries.push(...finish());
        from = at;
      }
      hold(chunk.subarray(from));
      return entries;
    },
    end: finish,
  };
}
