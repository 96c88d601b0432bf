/** Parses an untrusted value into an item or a refusal, for runner and server. */
import { cutPoints, exceeds } from './code-points';
import { compileSchema, Fault, isRecord, type JsonSchema } from './compile-schema';
import { isCountField } from './count-fields';
import type { Item } from './items';
import type { RefusalCode } from './messages';
import schema from './schema/item.schema.json' with { type: 'json' };

export interface ItemFault {
  seq: number | null;
  code: RefusalCode;
  field: string;
  reason: string;
}

export type ParsedItem = { ok: true; item: Item } | { ok: false; fault: ItemFault };

const readers = new Map<unknown, ReturnType<typeof compileSchema>>(
  (schema.oneOf as JsonSchema[]).map((item) => [item.properties?.type?.const, compileSchema(item)]),
);

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/** Quotes a peer's value in a message, shortened. */
function quote(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(exceeds(value, 40) ? `${cutPoints(value, 40)}…` : value);
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

/** @returns the item without unknown fields, or its refusal. Never throws. */
export function parseItem(value: unknown): ParsedItem {
  if (!isRecord(value)) {
    return { ok: false, fault: messageFault(null, '', `must be an object, but is ${quote(value)}`) };
  }
  const seq = isSeq(value.seq) ? value.seq : null;
  const read = readers.get(value.type);
  if (!read) return { ok: false, fault: messageFault(seq, 'type', `unknown item type ${quote(value.type)}`) };
  const item = read(value);
  if (!(item instanceof Fault)) return { ok: true, item: item as Item };
  const { field, reason } = item;
  return {
    ok: false,
    fault: { seq, code: isCountField(field) ? 'invalid_count' : 'invalid_field', field, reason },
  };
}

function messageFault(seq: number | null, field: string, reason: string): ItemFault {
  return { seq, code: 'invalid_message', field, reason };
}
