import { bigint, integer, json, pgTable, primaryKey, smallint } from 'drizzle-orm/pg-core';
import { time } from './columns';

/**
 * What contexts are made of: the last compositions of each chain, by the call that carried them. Its row in `turns`
 * says where it stands (chain, position, context), so nothing here has to follow a late item or an adoption but the
 * session's own number. Turns without a composition cost nothing here. Partitioned by month.
 */
export const compositions = pgTable(
  'compositions',
  {
    /** As in `turns`. */
    callKey: bigint({ mode: 'bigint' }).notNull(),
    /** The report it came with: the newest one of a call stands. */
    seq: bigint({ mode: 'number' }).notNull(),
    runnerTime: time().notNull(),
    sessionId: integer().notNull(),
    streamId: integer().notNull(),
    month: smallint().notNull(),
    /** Index into the list of sources. */
    source: smallint().notNull(),
    /** core/protocol Composition. */
    composition: json().notNull(),
  },
  (t) => [primaryKey({ columns: [t.month, t.sessionId, t.callKey] })],
);
