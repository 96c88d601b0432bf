/** Compressed JSON: text shrinks to a fourth, columns of numbers to less. */
import { deflateSync, inflateSync } from 'node:zlib';

/** A limit far above any stored value. */
const MAX_BYTES = 512 * 1024 * 1024;

export function packJson(value: unknown): Buffer {
  return packText(JSON.stringify(value));
}

export function packText(json: string): Buffer {
  return deflateSync(json, { level: 5 });
}

/** @throws when the bytes were not made by `packJson` */
export function unpackJson<T>(data: Uint8Array): T {
  return JSON.parse(inflateSync(data, { maxOutputLength: MAX_BYTES }).toString('utf8')) as T;
}
