import { sql } from 'drizzle-orm';
import { doublePrecision, index, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { counts, sessionId, tokens } from './columns';

/** Figures of 15 minutes of UTC. As in the totals, inherited and negative counts are left out. */
const figures = {
  ...counts(),
  /** Highest pressure of a main chain, share of the limit. Null: no pressure was known. */
  peak: doublePrecision(),
  turns: integer().notNull(),
  restarts: integer().notNull(),
  compactions: integer().notNull(),
  thrashes: integer().notNull(),
  cacheStorms: integer().notNull(),
};

/** Start of a bucket, in units of 15 minutes since the epoch. */
const bucket = () => integer().notNull();
const modelId = () => integer().notNull();

/** Sessions and positions from which their history is outdated. Batches only insert rows, so no batch waits. */
export const historyChanges = pgTable('history_changes', (c) => ({
  position: c.bigint({ mode: 'number' }).notNull(),
  sessionId: sessionId().notNull(),
}));

/** History of one session, by bucket and model. `history` is the sum of these rows. */
export const sessionHistory = pgTable(
  'session_history',
  (c) => ({
    ...figures,
    /** Range of positions of the counted rows; other rows may be in between. */
    firstPosition: tokens().notNull(),
    lastPosition: tokens().notNull(),
    sessionId: sessionId().notNull(),
    bucket: bucket(),
    modelId: modelId(),
    runnerId: c.integer().notNull(),
  }),
  (t) => [
    primaryKey({ columns: [t.sessionId, t.bucket, t.modelId] }),
    index('session_history_cell').on(t.bucket, t.runnerId, t.modelId),
    // Finds sessions with boundaries.
    index('session_history_boundaries')
      .on(t.bucket)
      .where(sql`restarts + compactions + thrashes + cache_storms > 0`),
  ],
);

/** History of all sessions of a runner, by bucket and model. Queries cut days in the viewer's zone. */
export const history = pgTable(
  'history',
  (c) => ({ ...figures, bucket: bucket(), runnerId: c.integer().notNull(), modelId: modelId() }),
  (t) => [primaryKey({ columns: [t.bucket, t.runnerId, t.modelId] })],
);
