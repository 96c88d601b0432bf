/**
 * Replaces secrets by marks in the bytes of an entry, before the entry is parsed. In a JSON line only parts inside
 * strings are replaced, so that the line stays valid.
 */
import type { NumberedSecret } from './secret-rule';

const encoder = new TextEncoder();
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const markOf = ({ secret, rule }: NumberedSecret): string => `[secret ${secret}: ${rule}]`;

/** @param from offset of `bytes` in the file @param secrets in order, without overlaps */
export function maskBytes(
  bytes: Uint8Array,
  from: number,
  secrets: readonly NumberedSecret[],
  isJson: boolean,
): Uint8Array {
  const own = secrets.filter((secret) => secret.to > from && secret.from < from + bytes.length);
  if (own.length === 0) return bytes;
  const insideStrings = walkStrings(bytes);
  const parts = own.flatMap((secret) => {
    const part = { from: Math.max(0, secret.from - from), to: Math.min(bytes.length, secret.to - from) };
    const mark = encoder.encode(markOf(secret));
    return isJson ? insideStrings(part.from, part.to, mark) : [{ ...part, mark }];
  });
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const part of parts) {
    if (part.from > at) pieces.push(bytes.subarray(at, part.from));
    pieces.push(part.mark);
    at = Math.max(at, part.to);
  }
  pieces.push(bytes.subarray(at));
  return join(pieces);
}

interface MaskedPart {
  from: number;
  to: number;
  mark: Uint8Array;
}

/**
 * Returns a function that finds the parts of [from, to) inside strings, with whole escapes. Call the function for the
 * places of a line in order, because it walks the line only once. A place without such a part is masked completely.
 */
function walkStrings(bytes: Uint8Array): (from: number, to: number, mark: Uint8Array) => MaskedPart[] {
  let isInside = false;
  let i = 0;
  return (from, to, mark) => {
    const parts: MaskedPart[] = [];
    let start = -1;
    const close = (end: number): void => {
      if (start !== -1 && end > start) parts.push({ from: start, to: end, mark });
      start = -1;
    };
    while (i < bytes.length && i < to) {
      const size = isInside && bytes[i] === BACKSLASH ? escapeLength(bytes, i) : 1;
      if (size === 1 && bytes[i] === QUOTE) {
        close(i);
        isInside = !isInside;
      } else if (isInside && start === -1 && i + size > from) start = i;
      i += size;
    }
    close(Math.min(i, bytes.length));
    return parts.length > 0 ? parts : [{ from, to, mark }];
  };
}

function escapeLength(bytes: Uint8Array, at: number): number {
  return Math.min(bytes[at + 1] === 0x75 ? 6 : 2, bytes.length - at);
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
