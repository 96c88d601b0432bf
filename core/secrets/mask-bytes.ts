/**
 * Puts marks in place of secrets, in the bytes of an entry: what is read from them afterwards holds none, whatever
 * reads it. In a line of JSON only what lies inside strings is replaced, so that it stays the same JSON.
 */
import type { NumberedSecret } from './numbered-secret';

const encoder = new TextEncoder();
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export const markOf = ({ secret, rule }: NumberedSecret): string => `[secret ${secret}: ${rule}]`;

/**
 * @param from where `bytes` begins in the file
 * @param secrets places in the file, in order, without overlaps; those outside of `bytes` are passed over
 */
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
 * Walks a line once, however many places it has: asked for each in their order, it tells what of [from, to) lies inside
 * strings, and cuts no escape in two. A place without any such part is masked as it is.
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
    // Where an escape reaches past the place, all of it is masked.
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
