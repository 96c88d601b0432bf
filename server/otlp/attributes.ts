/** Reads the attributes of resources, log records and spans. */
import type { KeyValue } from './proto/opentelemetry/proto/common/v1/common_pb';

/** Texts, numbers, integers (as bigint) and booleans by name. Lists and maps are left out, because they hold content. */
export type Attributes = ReadonlyMap<string, string | number | bigint | boolean>;

/** A record reports a call, but one of its fields cannot be used. */
export class UnusableField extends Error {
  override readonly name = 'UnusableField';

  constructor(field: string, reason: string) {
    super(`${field} ${reason}`);
  }
}

export function readAttributes(list: readonly KeyValue[]): Attributes {
  const attributes = new Map<string, string | number | bigint | boolean>();
  for (const { key, value } of list) {
    const scalar = value?.value.value;
    const isScalar = ['string', 'number', 'bigint', 'boolean'].includes(typeof scalar);
    if (isScalar) attributes.set(key, scalar as string | number | bigint | boolean);
  }
  return attributes;
}

/** The text of the first name that has one; undefined if no name has a text. */
export function textOf(attributes: Attributes, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = attributes.get(name);
    if (value !== undefined && value !== '') return String(value);
  }
  return undefined;
}

/**
 * The count of the first name that has one. Some clients send counts as texts.
 * @throws UnusableField
 */
export function countOf(attributes: Attributes, ...names: string[]): number | undefined {
  for (const name of names) {
    const value = attributes.get(name);
    if (value === undefined || value === '') continue;
    const count = typeof value === 'boolean' ? Number.NaN : Number(value);
    if (Number.isSafeInteger(count) && count >= 0) return count;
    throw new UnusableField(`attributes.${name}`, 'must be a whole number from 0 to 2^53−1');
  }
  return undefined;
}
