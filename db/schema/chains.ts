import { pgTable, primaryKey, unique } from 'drizzle-orm/pg-core';
import type { ChainFold, SessionFold } from '../../core/accounting/fold-types';
import type { Composition } from '../../core/protocol/items';
import type { Edge } from '../../core/series/pyramid';
import { counts, cumulative, sessionId, time, tokens } from './columns';

/** A line of conversation in a session: number 0 is `main`, the others are sub-agents. Partitioned by session id. */
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

/** A context of a chain. Partitioned by session id. */
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
 * Fold state every 2 000 items. A refold starts from the last checkpoint before the change. `near` marks one extra
 * checkpoint just before the last change, for calls that are amended often. Partitioned by session id.
 */
export const checkpoints = pgTable(
  'checkpoints',
  (c) => ({
    sessionId: sessionId().notNull(),
    position: tokens().notNull(),
    fold: c.json().$type<SessionFold>().notNull(),
    /** The pyramid's open buckets at the checkpoint; null: the main chain had no pyramid yet. */
    edge: c.json().$type<Edge>(),
    near: c.boolean().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.sessionId, t.position] })],
);

/**
 * Compositions of contexts by call. The row in `turns` holds the position, so late items change nothing here.
 * Partitioned by session id.
 */
export const compositions = pgTable(
  'compositions',
  (c) => ({
    callKey: c.bigint({ mode: 'bigint' }).notNull(),
    /** Seq of the report that the composition is from. */
    seq: c.bigint({ mode: 'number' }).notNull(),
    sessionId: sessionId().notNull(),
    runnerTime: time().notNull(),
    streamId: c.integer().notNull(),
    source: c.smallint().notNull(),
    composition: c.json().$type<Composition>().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.sessionId, t.callKey] })],
);
