/** JSON at rest: text shrinks to a fourth, columns of numbers to less. */
import { deflateSync, inflateSync } from 'node:zlib';

/** Far beyond anything that was packed. */
const MAX_BYTES = 512 * 1024 * 1024;

export function packJson(value: unknown): Buffer {
  return packText(JSON.stringify(value));
}

/** @param json as `unpackJson` shall read it */
export function packText(json: string): Buffer {
  return deflateSync(json, { level: 5 });
}

/** @throws when these are no bytes of `packJson`. */
export function unpackJson<T>(data: Uint8Array): T {
  return JSON.parse(inflateSync(data, { maxOutputLength: MAX_BYTES }).toString('utf8')) as T;
}
