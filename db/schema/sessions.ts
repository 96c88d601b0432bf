import { sql } from 'drizzle-orm';
import { index, pgSequence, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import type { SessionFold } from '../../core/accounting/fold-types';
import { sessionId, time, tokens } from './columns';
import { projectId, runners } from './runners';

/** Low bits of session ids: one counter for all months. */
export const sessionCounter = pgSequence('session_counter', { maxValue: 2 ** 40 - 1 });

/**
 * An agent's work on one task, with the columns that lists show. Columns from `fold` on are derived from the items. A
 * deleted session stays as a tombstone (`deletedAt`), which refuses resends.
 */
export const sessions = pgTable(
  'sessions',
  (c) => ({
    id: sessionId().primaryKey(),
    /** See `core/identity/session-id.ts`. */
    publicId: c.uuid().notNull().unique(),
    projectId: projectId(),
    /** Reliability of the project: 1 is best, and a better rank moves the session. 0: project and key identify it. */
    projectRank: c.smallint().notNull().default(0),
    key: c.text().notNull(),
    runnerId: c
      .integer()
      .notNull()
      .references(() => runners.id),
    deletedAt: time(),
    retired: c.boolean().notNull().default(false),
    /** The session to which the items moved, if a runner claimed this session's client id. */
    adoptedBy: sessionId(),

    title: c.text(),
    host: c.text(),
    folder: c.text(),
    branch: c.text(),
    model: c.text(),
    client: c.text(),
    clientVersion: c.text(),
    previousId: c.uuid(),
    forkedFromId: c.uuid(),
    backfill: c.boolean().notNull().default(false),

    fold: c.json().$type<Omit<SessionFold, 'chains'>>().notNull(),
    sources: c.smallint().notNull().default(0),
    /** Highest assigned position; 0: no item yet. */
    lastPosition: tokens().notNull().default(0),
    /** Count of numbered chains; `main` has number 0. */
    chainCount: c.integer().notNull().default(1),
    /** Items since the last checkpoint. */
    itemsSinceCheckpoint: c.integer().notNull().default(0),
    /** Position from which derived columns are being computed again. Null: all columns are current. */
    recomputeFrom: tokens(),

    lens: c.text().notNull().default('cumulative'),
    limitTokens: tokens(),
    limitSource: c.text().notNull().default('none'),
    /** Lowest automatic compaction of the main chain, and a size at which an expected compaction did not happen. */
    compactedAtTokens: tokens(),
    passedTokens: tokens(),
    used: tokens(),
    pressure: c.doublePrecision(),
    state: c.text().notNull().default('unknown'),
    /** Minutes to the next boundary at the last rate, for sorting. */
    minutesLeft: c.doublePrecision(),
    /** Silence after which the countdown is held, milliseconds, for sorting; null: no item was folded yet. */
    silentAfterMs: c.integer(),
    turnCount: c.integer().notNull().default(0),
    startedAt: time().notNull(),
    lastTurnAt: time(),
    /** Server's time of the last item, which determines liveness. */
    lastActivityAt: time(),
    endedAt: time(),
    version: c.bigint({ mode: 'number' }).notNull().default(1),
    /** Version of the last change of a composition; null: no composition. */
    compositionVersion: c.bigint({ mode: 'number' }),
    /** Version of the last change of the notes; null: no notes. */
    notesVersion: c.bigint({ mode: 'number' }),
    changedAt: time().notNull().default(sql`now()`),
  }),
  (t) => [
    index('sessions_project').on(t.projectId),
    index('sessions_outcomes')
      .on(t.client, t.clientVersion, t.limitTokens, t.id)
      .where(sql`compacted_at_tokens is not null or passed_tokens is not null`),
    index('sessions_adopted').on(t.adoptedBy).where(sql`adopted_by is not null`),
    index('sessions_forked').on(t.forkedFromId).where(sql`forked_from_id is not null`),
    index('sessions_previous').on(t.previousId).where(sql`previous_id is not null`),
    index('sessions_changed').using('brin', t.changedAt),
    index('sessions_recomputing').on(t.id).where(sql`recompute_from is not null`),
  ],
);

export const sessionAliases = pgTable(
  'session_aliases',
  (c) => ({
    /** At most 100 characters of the client's name. */
    client: c.text().notNull(),
    clientSessionId: c.text().notNull(),
    sessionId: sessionId()
      .notNull()
      .references(() => sessions.id),
    claimedAt: time().notNull().default(sql`now()`),
  }),
  (t) => [
    primaryKey({ columns: [t.clientSessionId, t.client] }),
    index('session_aliases_session').on(t.sessionId),
  ],
);

/** Highest seq that a stream delivered for a session. A lower seq is late. */
export const sessionStreams = pgTable(
  'session_streams',
  (c) => ({
    sessionId: sessionId()
      .notNull()
      .references(() => sessions.id),
    streamId: c.integer().notNull(),
    maxSeq: c.bigint({ mode: 'number' }).notNull(),
  }),
  (t) => [primaryKey({ columns: [t.sessionId, t.streamId] })],
);

/** Notes of operators at moments of a session. Deleted notes stay as tombstones. */
export const notes = pgTable(
  'notes',
  (c) => ({
    id: c.uuid().primaryKey().default(sql`gen_random_uuid()`),
    sessionId: sessionId()
      .notNull()
      .references(() => sessions.id),
    at: time().notNull(),
    /** Number of the last main-chain turn at that moment; null: an adoption renumbered the turns. */
    turn: c.integer(),
    text: c.text().notNull(),
    author: c.text(),
    createdAt: time().notNull().default(sql`now()`),
    editedAt: time(),
    editedBy: c.text(),
    deletedAt: time(),
    version: c.bigint({ mode: 'number' }).notNull().default(1),
  }),
  (t) => [index('notes_session').on(t.sessionId, t.at)],
);
