/**
 * A fast check for nearly all traffic. The check accepts an ordinary valid turn in a fraction of the schema's time, and
 * leaves other values to the schema. Only the schema refuses. `plain-turn.test.ts` checks that both agree.
 */
import * as z from 'zod';
import { count, instant, key, label, seq, size, usage } from './fields';
import { callIds, itemSchemas, MAX_CALL_IDS, type TurnItem } from './items';
import { PROTOCOL_LIMITS } from './limits';

/** Returns a field's value without unknown parts. Undefined: the schema decides. */
type Reader = (value: unknown) => unknown;

/** Printable ASCII only: other characters are rare in keys and left to the schema. */
const printable = /^[ -~]+$/;
const LAST_INSTANT = 253_402_300_799_999;

const readText =
  (maxLength: number): Reader =>
  (value) =>
    typeof value === 'string' && value.length <= maxLength && printable.test(value) ? value : undefined;
const readWhole =
  (least: number): Reader =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least ? value : undefined;

const readKey = readText(PROTOCOL_LIMITS.maxKeyLength);
const readKeys: Reader = (value) => {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MAX_CALL_IDS;
  return isList && value.every((each) => readKey(each) !== undefined) ? value : undefined;
};

const READERS = new Map<unknown, Reader>([
  [key, readKey],
  [callIds, (value: unknown) => readKey(value) ?? readKeys(value)],
  [label, readText(PROTOCOL_LIMITS.maxLabelLength)],
  [count, readWhole(Number.MIN_SAFE_INTEGER)],
  [size, readWhole(0)],
  [seq, readWhole(1)],
  [
    instant,
    (value) => (typeof value === 'number' && value >= 0 && value <= LAST_INSTANT ? value : undefined),
  ],
]);

const readerOf = (schema: unknown): Reader => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return readerOf(schema.unwrap());
  if (schema === usage) return readObject(usage.shape);
  if (schema instanceof z.ZodBoolean) return (value) => (typeof value === 'boolean' ? value : undefined);
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) {
    const known = new Set<unknown>(schema instanceof z.ZodEnum ? schema.options : schema.values);
    return (value) => (known.has(value) ? value : undefined);
  }
  // Nested values are rare and left to the schema.
  return READERS.get(schema) ?? (() => undefined);
};

function readObject(shape: Readonly<Record<string, z.ZodType>>): Reader {
  const fields = Object.entries(shape).map(([name, schema]) => ({
    name,
    read: readerOf(schema),
    isOptional: schema instanceof z.ZodOptional,
  }));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const given = value as Record<string, unknown>;
    const plain: Record<string, unknown> = {};
    for (const { name, read, isOptional } of fields) {
      const field = given[name];
      if (field === undefined && isOptional) continue;
      const known = read(field);
      if (known === undefined) return undefined;
      plain[name] = known;
    }
    return plain;
  };
}

const readTurn = readObject(itemSchemas.turn.shape);

/** @returns the turn without unknown fields. Null: the schema decides. */
export function readPlainTurn(value: unknown): TurnItem | null {
  return (readTurn(value) as TurnItem | undefined) ?? null;
}
