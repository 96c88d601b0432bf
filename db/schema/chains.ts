import { boolean, integer, json, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import type { ChainFold, SessionFold } from '../../core/accounting/fold-types';
import type { Edge } from '../../core/series/pyramid';
import { sessionId, time, tokens } from './columns';

/** One line of conversation in a session: 0 is `main`, the others are sub-agents. Partitioned by session id. */
export const chains = pgTable(
  'chains',
  {
    sessionId: sessionId().notNull(),
    chain: integer().notNull(),
    key: text().notNull(),
    fold: json().$type<ChainFold>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.sessionId, t.chain] }), unique('chains_key').on(t.sessionId, t.key)],
);

/** One stretch of a chain in one model context. Partitioned by session id. */
export const contexts = pgTable(
  'contexts',
  {
    sessionId: sessionId().notNull(),
    chain: integer().notNull(),
    index: integer().notNull(),
    startedAt: time(),
    endedAt: time(),
    endedBy: text(),
    turnCount: integer().notNull(),
    /** All counted calls, side scope included. */
    input: tokens().notNull(),
    output: tokens().notNull(),
    cacheRead: tokens().notNull(),
    cacheCreation: tokens().notNull(),
    calls: integer().notNull(),
    /** Counted main-scope turns: the cumulative lens. */
    cumulativeInput: tokens().notNull(),
    cumulativeOutput: tokens().notNull(),
    cumulativeCacheRead: tokens().notNull(),
    firstOccupancy: tokens(),
    lastOccupancy: tokens(),
    peakOccupancy: tokens(),
    limitTokens: tokens(),
    tracked: boolean().notNull(),
    complete: boolean().notNull(),
  },
  (t) => [primaryKey({ columns: [t.sessionId, t.chain, t.index] })],
);

/**
 * Fold state at a position, every few thousand items: a late item folds again from the last one before it
 * and not from the beginning. Partitioned by session id.
 *
 * Sessions whose last turns keep being amended get one more, shortly before their end (`near`), which moves on
 * with them.
 */
export const checkpoints = pgTable(
  'checkpoints',
  {
    sessionId: sessionId().notNull(),
    position: tokens().notNull(),
    /** With all its chains, after the item at this position. */
    fold: json().$type<SessionFold>().notNull(),
    /** The pyramid's open buckets there; null: the main chain had none yet. */
    edge: json().$type<Edge>(),
    near: boolean().notNull(),
  },
  (t) => [primaryKey({ columns: [t.sessionId, t.position] })],
);
