import { bigint, integer, json, pgTable, primaryKey, smallint } from 'drizzle-orm/pg-core';
import type { Composition } from '../../core/protocol/items';
import { sessionId, time } from './columns';

/**
 * What contexts are made of: the last compositions of each chain, by the call that carried them. Its row in `turns`
 * holds its place (chain, position, context), so nothing here has to follow a late item or an adoption but the
 * session's own number. Turns without a composition cost nothing here. Partitioned by session id.
 */
export const compositions = pgTable(
  'compositions',
  {
    /** As in `turns`. */
    callKey: bigint({ mode: 'bigint' }).notNull(),
    /** The report that brought it: the newest one of a call wins. */
    seq: bigint({ mode: 'number' }).notNull(),
    sessionId: sessionId().notNull(),
    runnerTime: time().notNull(),
    streamId: integer().notNull(),
    /** Index into the list of sources. */
    source: smallint().notNull(),
    composition: json().$type<Composition>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.sessionId, t.callKey] })],
);
