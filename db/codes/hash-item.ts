/** The two keys that detect duplicates: the hash of an item, and the key of a call. */
import * as crypto from 'node:crypto';
import { type Item, type TurnItem, turn } from '../../core/protocol/items';

/** `crypto.hash` exists since Node 20.12, and is twice as fast as `createHash`. */
const sha256: (text: string) => Buffer =
  typeof crypto.hash === 'function'
    ? (text) => crypto.hash('sha256', text, 'buffer')
    : (text) => crypto.createHash('sha256').update(text).digest();

export const CALL_HASH_BITS = 22;
/** The bits of a call's hash. */
export const CALL_HASH = 2 ** CALL_HASH_BITS - 1;

/** Hash of an item without its seq, as a decimal: 22 bits for a call, 64 signed bits of SHA-256 for other items. */
export function hashItem(item: Item): string {
  if (item.type === 'turn') return `${hashTurn(item) & CALL_HASH}`;
  const fields = Object.entries(item)
    .filter(([name, value]) => name !== 'seq' && value !== undefined && value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const digest = sha256(JSON.stringify(fields));
  return item.type === 'reading' ? `${digest.readInt32BE(0) & CALL_HASH}` : `${digest.readBigInt64BE(0)}`;
}

const DEFAULTS: Readonly<Record<string, unknown>> = {
  chain: 'main',
  scope: 'main',
  basis: 'total',
  inherited: false,
};
const TURN_FIELDS = Object.keys(turn.shape)
  .filter((name) => name !== 'type' && name !== 'seq')
  .map((name) => ({ name, seed: mixText(0x811c9dc5, name), byDefault: DEFAULTS[name] }));
const COUNTS = ['input', 'output', 'cacheRead', 'cacheCreation'] as const;

/** FNV-1a, 32 bits, of all fields that differ from their default. A collision affects only the sending runner. */
function hashTurn(item: TurnItem): number {
  const fields: Readonly<Record<string, unknown>> = item;
  let hash = 0;
  for (const { name, seed, byDefault } of TURN_FIELDS) {
    const value =
      name === 'usage' && item.usage ? COUNTS.map((count) => item.usage?.[count]).join() : fields[name];
    if (value === undefined || value === null || value === byDefault) continue;
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    // The length marks where one text ends and the next begins.
    hash = mixText(Math.imul(hash ^ seed ^ text.length, 0x01000193), text);
  }
  // The low bits of the product do not depend on the high bits of the text.
  return hash ^ (hash >>> CALL_HASH_BITS);
}

function mixText(start: number, text: string): number {
  let hash = start;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

const KEY_BITS = 0x3fff_ffff_ffff_fffen;

/** Key of a call, as a decimal: 61 bits of SHA-256, then one bit: 0 for its turn, 1 for its reading. */
export function callKey(
  call: string | undefined,
  kind: 'turn' | 'reading',
  stream: string,
  seq: number,
): string {
  const name = call === undefined ? `seq ${stream}:${seq}` : `call ${call}`;
  const key = sha256(name).readBigUInt64BE(0) & KEY_BITS;
  return (kind === 'reading' ? key | 1n : key).toString();
}

/** The part of a call key that is equal for a turn and its readings. */
export function callOfKey(key: string): string {
  const lastDigit = Number(key.at(-1));
  return lastDigit % 2 === 0 ? key : key.slice(0, -1) + (lastDigit - 1);
}

export function callCause(key: string): string {
  return asUuid(sha256(`turn ${key}`));
}

export function reportCause(streamId: number, seq: number): string {
  return asUuid(sha256(`report ${streamId}:${seq}`));
}

function asUuid(digest: Buffer): string {
  const hex = digest.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
