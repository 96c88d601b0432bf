import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { sessionId, time, tokens } from './columns';

/** Items that are no turns. They share one sequence of positions with the turns. Partitioned by session id. */
export const reports = pgTable(
  'reports',
  {
    position: tokens().notNull(),
    sessionId: sessionId().notNull(),
    seq: bigint({ mode: 'number' }).notNull(),
    hash: bigint({ mode: 'bigint' }).notNull(),
    runnerTime: time().notNull(),
    serverTime: time().notNull(),
    streamId: integer().notNull(),
    bits: integer().notNull(),
    /** The protocol item as it came, without seq, session and at, which the row holds. */
    item: jsonb().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.sessionId, t.position] }),
    unique('reports_delivery').on(t.sessionId, t.streamId, t.seq),
    // The same report from another queue: the meaning layer for what has no call.
    index('reports_meaning').on(t.sessionId, t.hash),
  ],
);

/**
 * Derived by the fold in the same transaction. A recomputation writes the same (session, cause, kind) with a higher
 * revision, or retracts it. Partitioned by session id.
 */
export const events = pgTable(
  'events',
  {
    sessionId: sessionId().notNull(),
    /** What caused it: 16 bytes of SHA-256 of a turn's call key, or of a report's stream and seq. */
    cause: uuid().notNull(),
    kind: text().notNull(),
    /** Position of the turn or report, and order among the events there. */
    position: tokens().notNull(),
    rank: smallint().notNull(),
    chain: integer().notNull(),
    context: integer().notNull(),
    turn: integer().notNull(),
    at: time().notNull(),
    detail: jsonb().notNull(),
    revision: integer().notNull().default(1),
    retracted: boolean().notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.sessionId, t.cause, t.kind] }),
    index('events_position').on(t.sessionId, t.position),
    index('events_time').on(t.at),
  ],
);
