/** Column kinds that several tables share. */
import { bigint, customType, timestamp } from 'drizzle-orm/pg-core';

/** A token count or position: exact in a JavaScript number, because the protocol stops at 2^53−1. */
export const tokens = () => bigint({ mode: 'number' });
/** The internal id of a session: its month in the high bits, see db/partitions.ts. */
export const sessionId = () => bigint({ mode: 'number' });
export const time = () => timestamp({ withTimezone: true, mode: 'string', precision: 3 });
export const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });
export const int8multirange = customType<{ data: string }>({ dataType: () => 'int8multirange' });

/** Tokens of calls, as reported. */
export const counts = () => ({
  input: tokens().notNull(),
  output: tokens().notNull(),
  cacheRead: tokens().notNull(),
  cacheCreation: tokens().notNull(),
});
/** A context's sums after a turn, main scope: the cumulative lens. */
export const cumulative = () => ({
  cumulativeInput: tokens().notNull(),
  cumulativeOutput: tokens().notNull(),
  cumulativeCacheRead: tokens().notNull(),
});
