/**
 * One line of a segment file: eight hexadecimal digits of CRC-32, a space, one line of JSON. The sum tells a
 * record from what a power loss left of one.
 */
const table = new Uint32Array(256);
for (let n = 0; n < 256; n += 1) {
  let c = n;
  for (let bit = 0; bit < 8; bit += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  table[n] = c;
}

/** CRC-32 as zlib computes it (Node has it built in only from 20.15 on). */
export function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; i += 1) c = (table[(c ^ (bytes[i] ?? 0)) & 0xff] ?? 0) ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

const PREFIX_BYTES = 9;

/** @param json one line of JSON. @returns the bytes to append, newline included. */
export function encodeRecord(json: string): Buffer {
  const body = Buffer.byteLength(json);
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + body + 1);
  bytes.write(json, PREFIX_BYTES);
  const sum = crc32(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + body));
  bytes.write(`${sum.toString(16).padStart(8, '0')} `, 0, 'latin1');
  bytes[PREFIX_BYTES + body] = 0x0a;
  return bytes;
}

export interface DecodedLines {
  /** The JSON of every sound line, in order. */
  lines: string[];
  /** Lines whose sum is wrong, in the middle of the file: a power loss wrote them in part. */
  damaged: number;
  /** Whether the last line is torn: it was being written when the process or the machine stopped. */
  torn: boolean;
}

/** Reads a segment's bytes; never throws, whatever they hold. */
export function decodeRecords(bytes: Buffer): DecodedLines {
  const lines: string[] = [];
  let damaged = 0;
  let start = 0;
  let torn = false;
  while (start < bytes.length) {
    const end = bytes.indexOf(0x0a, start);
    const stop = end === -1 ? bytes.length : end;
    const line = decodeLine(bytes.subarray(start, stop));
    if (line !== null && end !== -1) lines.push(line);
    else if (stop === bytes.length || end === bytes.length - 1) torn = true;
    else damaged += 1;
    start = stop + 1;
  }
  return { lines, damaged, torn };
}

function decodeLine(line: Buffer): string | null {
  if (line.length <= PREFIX_BYTES || line[8] !== 0x20) return null;
  const sum = Number.parseInt(line.toString('latin1', 0, 8), 16);
  const body = line.subarray(PREFIX_BYTES);
  return sum === crc32(body) ? body.toString('utf8') : null;
}
