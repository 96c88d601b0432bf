/** Whether the database stores items, judged by the latest transactions. */
import type { Outage } from './answers';

export type StorageState = ReturnType<typeof createStorageState>;

/** Runners retry every few seconds, so an outage without a further failure is over or unknown. */
const VALID_MS = 15_000;

/** @param now milliseconds */
export function createStorageState(now: () => number = () => performance.now()) {
  let last: { outage: Outage; at: number } | null = null;
  return {
    /** Report a transaction: the outage that failed it, or null. */
    report(outage: Outage | null): void {
      last = outage && { outage, at: now() };
    },
    /** The current outage; null: items are stored, or none arrived lately. */
    outage: (): Outage | null => (last !== null && now() - last.at < VALID_MS ? last.outage : null),
  };
}
