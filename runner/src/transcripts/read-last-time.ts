import { closeSync, openSync, readSync, statSync } from 'node:fs';

const TAIL_BYTES = 64 * 1024;

/** Time of the newest line of a transcript, milliseconds; null where its end tells none. */
export function readLastTime(path: string): number | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const buffer = Buffer.alloc(TAIL_BYTES);
    const from = Math.max(0, statSync(path).size - TAIL_BYTES);
    const text = buffer.toString('utf8', 0, readSync(file, buffer, 0, TAIL_BYTES, from));
    const times = [...text.matchAll(/"timestamp":\s?"([^"]{10,40})"/g)].map((match) =>
      Date.parse(match[1] ?? ''),
    );
    return times.filter(Number.isFinite).at(-1) ?? null;
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}
