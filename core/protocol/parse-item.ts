/** Parses an untrusted value into an item or a refusal, for runner and server. */
import type * as z from 'zod';
import { isCountField } from './fields';
import { type Item, itemSchemas } from './items';
import type { RefusalCode } from './messages';
import { readPlainTurn } from './plain-turn';

export interface ItemFault {
  seq: number | null;
  code: RefusalCode;
  field: string;
  reason: string;
}

export type ParsedItem = { ok: true; item: Item } | { ok: false; fault: ItemFault };

const schemaOf = new Map<unknown, z.ZodType<Item>>(Object.entries(itemSchemas));

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/** Quotes a peer's value in a message, shortened. */
function quote(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

/** @returns the item without unknown fields, or its refusal. Never throws. */
export function parseItem(value: unknown): ParsedItem {
  const plain = readPlainTurn(value);
  if (plain) return { ok: true, item: plain };
  if (!isRecord(value)) {
    return { ok: false, fault: messageFault(null, '', `must be an object, but is ${quote(value)}`) };
  }
  const ownSeq = isSeq(value.seq) ? value.seq : null;
  const schema = schemaOf.get(value.type);
  if (!schema) {
    return { ok: false, fault: messageFault(ownSeq, 'type', `unknown item type ${quote(value.type)}`) };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, item: parsed.data };
  const issue = parsed.error.issues[0];
  const field = issue?.path.map(String).join('.') ?? '';
  return {
    ok: false,
    fault: {
      seq: ownSeq,
      code: isCountField(field) ? 'invalid_count' : 'invalid_field',
      field,
      reason: issue?.message ?? 'is not valid',
    },
  };
}

function messageFault(seq: number | null, field: string, reason: string): ItemFault {
  return { seq, code: 'invalid_message', field, reason };
}
