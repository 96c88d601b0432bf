import { index, pgTable, primaryKey, unique } from 'drizzle-orm/pg-core';
import { sessionId, time, tokens } from './columns';

/** Items other than turns. Turns and other items share one sequence of positions. Partitioned by session id. */
export const reports = pgTable(
  'reports',
  (c) => ({
    position: tokens().notNull(),
    sessionId: sessionId().notNull(),
    seq: c.bigint({ mode: 'number' }).notNull(),
    hash: c.bigint({ mode: 'bigint' }).notNull(),
    runnerTime: time().notNull(),
    serverTime: time().notNull(),
    streamId: c.integer().notNull(),
    bits: c.integer().notNull(),
    /** The received protocol item without `seq`, `session` and `at`, which have their own columns. */
    item: c.jsonb().notNull(),
  }),
  (t) => [
    primaryKey({ columns: [t.sessionId, t.position] }),
    unique('reports_delivery').on(t.sessionId, t.streamId, t.seq),
    // Detects the same report from another queue.
    index('reports_meaning').on(t.sessionId, t.hash),
  ],
);

/**
 * Derived by the fold in the same transaction. A recomputation writes the same (session, cause, kind) with a higher
 * revision, or retracts it. Partitioned by session id.
 */
export const events = pgTable(
  'events',
  (c) => ({
    sessionId: sessionId().notNull(),
    /** Cause of the event: 16 bytes of SHA-256 of a turn's call key, or of a report's stream and seq. */
    cause: c.uuid().notNull(),
    kind: c.text().notNull(),
    /** Position of the turn or report, and order among the events at that position. */
    position: tokens().notNull(),
    rank: c.smallint().notNull(),
    chain: c.integer().notNull(),
    context: c.integer().notNull(),
    turn: c.integer().notNull(),
    at: time().notNull(),
    detail: c.jsonb().notNull(),
    revision: c.integer().notNull().default(1),
    retracted: c.boolean().notNull().default(false),
  }),
  (t) => [
    primaryKey({ columns: [t.sessionId, t.cause, t.kind] }),
    index('events_position').on(t.sessionId, t.position),
    index('events_time').on(t.at),
  ],
);
