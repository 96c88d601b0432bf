/** The two keys that make a resend harmless: what a seq carried, and which call it speaks of. */
import * as crypto from 'node:crypto';
import type { Composition, Item, ItemOf } from '../../core/protocol/items';
import { holdsBrokenText, toJsonText } from '../json-text';

/** In one call where Node has it (from 20.12): half the time. */
const sha256: (text: string) => Buffer =
  typeof crypto.hash === 'function'
    ? (text) => crypto.hash('sha256', text, 'buffer')
    : (text) => crypto.createHash('sha256').update(text).digest();

/**
 * The content without its seq, as a signed decimal: 32 bits for a call, 64 bits of SHA-256 for the rest. An item
 * whose text Postgres cannot hold comes back with text that it can: names must compare as they will in the
 * database.
 */
export function hashItem(item: Item): { item: Item; hash: string } {
  if (item.type === 'turn') {
    const hash = hashText(turnText(item));
    return hash === null ? hashItem(mend(item)) : { item, hash: hash.toString() };
  }
  const text = JSON.stringify(sorted(item));
  if (holdsBrokenText(text)) {
    const mended = mend(item);
    return { item: mended, hash: hashSorted(mended, JSON.stringify(sorted(mended))) };
  }
  return { item, hash: hashSorted(item, text) };
}

function hashSorted({ type }: Item, text: string): string {
  const digest = sha256(text);
  return type === 'reading' ? digest.readInt32BE(0).toString() : digest.readBigInt64BE(0).toString();
}

function mend(item: Item): Item {
  return JSON.parse(toJsonText(item));
}

/** The hot kind, spelled out. The length before each name keeps two names from passing for one. */
function turnText(item: ItemOf<'turn'>): string {
  const {
    session,
    at,
    chain = 'main',
    scope = 'main',
    call = '',
    model = '',
    limit,
    usage,
    contextTokens,
  } = item;
  const counts = usage
    ? `${usage.input ?? ''},${usage.output ?? ''},${usage.cacheRead ?? ''},${usage.cacheCreation ?? ''}`
    : '-';
  const names = `${session.length}:${session}${chain.length}:${chain}${call.length}:${call}${model.length}:${model}`;
  const rest = `${at},${scope},${limit ?? ''},${counts},${contextTokens ?? ''},${item.basis ?? 'total'}`;
  const made = item.composition ? compositionText(item.composition) : '';
  return `${names};${rest},${item.inherited ?? false}${made}`;
}

function compositionText({ roles, suggestions, compression: left }: Composition): string {
  const parts = [
    ...roles.map(({ role, messages, tokens }) => `${role.length}:${role},${messages},${tokens}`),
    '-',
    ...suggestions.map((s) => `${s.kind},${s.messages},${s.tokensSaved},${s.impact}`),
    left ? `-${left.targetPercent},${left.messagesRemoved},${left.tokensRemoved},${left.tokensLeft}` : '',
  ];
  return `;${parts.join(';')}`;
}

/** FNV-1a, 32 bits: a collision harms only its sender. Null: the text holds a character that Postgres does not take. */
function hashText(text: string): number | null {
  let hash = 0x811c9dc5;
  let isSuspect = false;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === 0 || (unit & 0xf800) === 0xd800) isSuspect = true;
    hash = Math.imul(hash ^ unit, 0x01000193);
  }
  // Pairs of surrogates are whole characters.
  return isSuspect && holdsBrokenText(JSON.stringify(text)) ? null : hash;
}

/** Known fields only: what this version does not know is not stored, and makes no difference. */
function sorted(item: Item): [string, unknown][] {
  return Object.entries(item)
    .filter(([name, value]) => name !== 'seq' && value !== undefined && value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

const KEY_BITS = 0x3fff_ffff_ffff_fffen;

/** 62 bits of SHA-256 as a decimal. The lowest bit is 0 for turns, 1 for readings, so that both can be stored. */
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

/** The call of a call key, the same for a turn and for the readings of it: what the fold compares. */
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
