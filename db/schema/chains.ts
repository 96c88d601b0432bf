import {
  bigint,
  boolean,
  integer,
  json,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
} from 'drizzle-orm/pg-core';
import type { ChainFold, SessionFold } from '../../core/accounting/fold-types';
import type { Composition } from '../../core/protocol/items';
import type { Edge } from '../../core/series/pyramid';
import { counts, cumulative, sessionId, time, tokens } from './columns';

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
    ...counts(),
    calls: integer().notNull(),
    ...cumulative(),
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
    fold: json().$type<SessionFold>().notNull(),
    /** The pyramid's open buckets there; null: the main chain had none yet. */
    edge: json().$type<Edge>(),
    near: boolean().notNull(),
  },
  (t) => [primaryKey({ columns: [t.sessionId, t.position] })],
);

/**
 * What contexts are made of: the last compositions of each chain, by the call that carried them. Its row in `turns`
 * holds its place (chain, position, context), so nothing here has to follow a late item or an adoption but the
 * session's own number. Turns without a composition cost nothing here. Partitioned by session id.
 */
export const compositions = pgTable(
  'compositions',
  {
    callKey: bigint({ mode: 'bigint' }).notNull(),
    /** The report that brought it: the newest one of a call wins. */
    seq: bigint({ mode: 'number' }).notNull(),
    sessionId: sessionId().notNull(),
    runnerTime: time().notNull(),
    streamId: integer().notNull(),
    source: smallint().notNull(),
    composition: json().$type<Composition>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.sessionId, t.callKey] })],
);
