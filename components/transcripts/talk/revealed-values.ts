/** What was shown of secrets: one that lies in several entries has a part in each. */
import type { Revealed } from '@/core/api/transcript-secrets';

export type RevealedValues = ReadonlyMap<number, ReadonlyMap<number, string>>;

export const NOTHING_REVEALED: RevealedValues = new Map();

export function addRevealed(values: RevealedValues, told: Revealed['secrets']): RevealedValues {
  const next = new Map(values);
  for (const { secret, entry, value } of told) next.set(secret, new Map(next.get(secret)).set(entry, value));
  return next;
}

/** Undefined: it is masked in this entry. */
export const revealedIn = (values: RevealedValues, secret: number, entry: number): string | undefined =>
  values.get(secret)?.get(entry);
