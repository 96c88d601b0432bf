import { pgTable, primaryKey, unique } from 'drizzle-orm/pg-core';
import type { ChainFold, SessionFold } from '../../core/accounting/fold-types';
import type { Composition } from '../../core/protocol/items';
import type { Edge } from '../../core/series/pyramid';
import { counts, cumulative, sessionId, time, tokens } from './columns';

/** One line of conversation in a session: 0 is `main`, the others are sub-agents. Partitioned by session id. */
export const chains = pgTable(
  'chains',
  (c) => ({
    sessionId: sessionId().notNull(),
    chain: c.integer().notNull(),
    key: c.text().notNull(),
    fold: c.json().$type<ChainFold>().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.sessionId, t.chain] }), unique('chains_key').on(t.sessionId, t.key)],
);

/** One stretch of a chain in one model context. Partitioned by session id. */
export const contexts = pgTable(
  'contexts',
  (c) => ({
    sessionId: sessionId().notNull(),
    chain: c.integer().notNull(),
    index: c.integer().notNull(),
    startedAt: time(),
    endedAt: time(),
    endedBy: c.text(),
    turnCount: c.integer().notNull(),
    ...counts(),
    calls: c.integer().notNull(),
    ...cumulative(),
    firstOccupancy: tokens(),
    lastOccupancy: tokens(),
    peakOccupancy: tokens(),
    limitTokens: tokens(),
    tracked: c.boolean().notNull(),
    complete: c.boolean().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.sessionId, t.chain, t.index] })],
);

/**
 * Fold state every few thousand items: a late item folds again from the last one before it. `near`: one more
 * shortly before the end, where the last turns keep being amended. Partitioned by session id.
 */
export const checkpoints = pgTable(
  'checkpoints',
  (c) => ({
    sessionId: sessionId().notNull(),
    position: tokens().notNull(),
    fold: c.json().$type<SessionFold>().notNull(),
    /** The pyramid's open buckets there; null: the main chain had none yet. */
    edge: c.json().$type<Edge>(),
    near: c.boolean().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.sessionId, t.position] })],
);

/**
 * What contexts are made of, by the call that carried it: its row in `turns` holds its place, so nothing here
 * follows a late item. Partitioned by session id.
 */
export const compositions = pgTable(
  'compositions',
  (c) => ({
    callKey: c.bigint({ mode: 'bigint' }).notNull(),
    /** The report that brought it: the newest one of a call wins. */
    seq: c.bigint({ mode: 'number' }).notNull(),
    sessionId: sessionId().notNull(),
    runnerTime: time().notNull(),
    streamId: c.integer().notNull(),
    source: c.smallint().notNull(),
    composition: c.json().$type<Composition>().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.sessionId, t.callKey] })],
);
