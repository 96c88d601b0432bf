/**
 * The two keys that make a resend harmless: what a seq carried (transport), and which call it speaks of
 * (meaning).
 */
import * as crypto from 'node:crypto';
import type { Item } from '../../core/protocol/items';
import { holdsBrokenText, toJsonText } from './json-text';

/** In one call where Node has it (from 20.12): half the time. */
const sha256: (text: string) => Buffer =
  typeof crypto.hash === 'function'
    ? (text) => crypto.hash('sha256', text, 'buffer')
    : (text) => crypto.createHash('sha256').update(text).digest();

/**
 * SHA-256 of what the item says, without its seq, as a signed decimal: 32 bits of it for a call, whose key tells it
 * apart already, 64 for the rest. Absent fields and their defaults are the same; the order of fields is nothing. An
 * item whose text Postgres cannot hold comes back with text that it can.
 */
export function hashItem(item: Item): { item: Item; hash: string } {
  const text = canonical(item);
  if (!holdsBrokenText(text)) return { item, hash: shorten(item, sha256(text)) };
  // Names must compare in memory as they will in the database.
  const whole: Item = JSON.parse(toJsonText(item));
  return { item: whole, hash: shorten(whole, sha256(canonical(whole))) };
}

function shorten({ type }: Item, digest: Buffer): string {
  const isCall = type === 'turn' || type === 'reading';
  return isCall ? digest.readInt32BE(0).toString() : digest.readBigInt64BE(0).toString();
}

function canonical(item: Item): string {
  if (item.type !== 'turn') return JSON.stringify(sorted(item));
  // The hot kind, spelled out: the same as below, five times as fast.
  const { usage } = item;
  return JSON.stringify([
    'turn',
    item.session,
    item.at,
    item.chain ?? 'main',
    item.scope ?? 'main',
    item.call ?? null,
    item.model ?? null,
    item.limit ?? null,
    usage
      ? [usage.input ?? null, usage.output ?? null, usage.cacheRead ?? null, usage.cacheCreation ?? null]
      : null,
    item.contextTokens ?? null,
    item.basis ?? null,
    item.inherited ?? false,
  ]);
}

/** Known fields only: what this version does not know is not stored, and makes no difference. */
function sorted(item: Item): [string, unknown][] {
  return Object.entries(item)
    .filter(([name, value]) => name !== 'seq' && value !== undefined && value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

const KEY_BITS = 0x3fff_ffff_ffff_fffen;

/**
 * 62 bits of SHA-256 as a decimal. For calls the lowest bit is 0; a reading on its own has the key of its call with
 * the lowest bit 1, so that the two can stand beside each other.
 */
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

/** The call a call key stands for, the same for a turn and for the readings of it: what the fold compares. */
export function callOfKey(key: string): string {
  const lastDigit = Number(key.at(-1));
  return lastDigit % 2 === 0 ? key : key.slice(0, -1) + (lastDigit - 1);
}

/** What the events of a call are known by. */
export function callCause(key: string): string {
  return asUuid(sha256(`turn ${key}`));
}

/** What an event of a report is known by. */
export function reportCause(streamId: number, seq: number): string {
  return asUuid(sha256(`report ${streamId}:${seq}`));
}

function asUuid(digest: Buffer): string {
  const hex = digest.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
