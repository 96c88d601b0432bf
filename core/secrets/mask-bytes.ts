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
  const parts = own.flatMap((secret) => {
    const part = { from: Math.max(0, secret.from - from), to: Math.min(bytes.length, secret.to - from) };
    const mark = encoder.encode(markOf(secret));
    return isJson ? stringParts(bytes, part.from, part.to, mark) : [{ ...part, mark }];
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

/** What of [from, to) lies inside strings, and no escape cut in two. A range without any is masked as it is. */
function stringParts(bytes: Uint8Array, from: number, to: number, mark: Uint8Array): MaskedPart[] {
  const parts: MaskedPart[] = [];
  let isInside = false;
  let start = -1;
  let i = 0;
  const close = (end: number): void => {
    if (start !== -1 && end > start) parts.push({ from: start, to: end, mark });
    start = -1;
  };
  for (; i < bytes.length && (i < to || start !== -1); ) {
    const size = isInside && bytes[i] === BACKSLASH ? escapeLength(bytes, i) : 1;
    if (size === 1 && bytes[i] === QUOTE) {
      close(i);
      isInside = !isInside;
    } else if (isInside && start === -1 && i + size > from && i < to) start = i;
    else if (i >= to) close(i);
    i += size;
  }
  close(Math.min(i, bytes.length));
  return parts.length > 0 ? parts : [{ from, to, mark }];
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
