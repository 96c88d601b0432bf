import { sql } from 'drizzle-orm';
import { index, pgTable, primaryKey, unique, uniqueIndex } from 'drizzle-orm/pg-core';
import { counts, cumulative, sessionId, time, tokens } from './columns';

/** Model names, so that a turn carries four bytes instead of a name. */
export const models = pgTable(
  'models',
  (c) => ({
    id: c.integer().primaryKey().generatedAlwaysAsIdentity(),
    name: c.text().notNull(),
  }),
  // A hash, because a name may be longer than an index row.
  () => [uniqueIndex('models_name').on(sql`md5(name)`)],
);

/**
 * A usage report or a reading. Partitioned by session id. A row takes at most 300 bytes with its indexes, because the
 * widest columns come first.
 */
export const turns = pgTable(
  'turns',
  (c) => ({
    position: tokens().notNull(),
    sessionId: sessionId().notNull(),
    /** Seq in its stream. Together with the hash it detects resends. */
    seq: c.bigint({ mode: 'number' }).notNull(),
    /** Deltas as reported, including negative deltas. */
    ...counts(),
    ...cumulative(),
    reading: tokens(),
    limitTokens: tokens(),
    /** The runner's clock, the server's, and the running maximum that charts use. */
    runnerTime: time().notNull(),
    serverTime: time().notNull(),
    chartTime: time().notNull(),
    /** Hash of the call id, or of stream and seq: docs/decisions/0007-two-memories-of-duplicates.md. */
    callKey: c.bigint({ mode: 'bigint' }).notNull(),
    /** The low bits are the hash of the item. The other bits are sources of figures, like the high bits of `bits`. */
    hash: c.integer().notNull(),
    streamId: c.integer().notNull(),
    number: c.integer().notNull(),
    bits: c.integer().notNull(),
    modelId: c.integer(),
    chain: c.smallint().notNull(),
    /** At most 32 768 contexts of a chain. A wider column would take eight more bytes, because of padding. */
    context: c.smallint().notNull(),
  }),
  (t) => [
    primaryKey({ columns: [t.sessionId, t.position] }),
    unique('turns_call').on(t.sessionId, t.callKey),
    // Finds the few turns of a sub-agent. Turns of the main chain are not indexed.
    index('turns_side_chains').on(t.sessionId, t.chain, t.position).where(sql`chain <> 0`),
  ],
);

/**
 * The limits that items state, of the few calls to which another limit applies. As columns of `turns`, they would give
 * every row a null bitmap. Partitioned by session id.
 */
export const refutedLimits = pgTable(
  'refuted_limits',
  (c) => ({
    sessionId: sessionId().notNull(),
    callKey: c.bigint({ mode: 'bigint' }).notNull(),
    limitTokens: tokens().notNull(),
    /** Index of LIMIT_SOURCES. */
    source: c.smallint().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.sessionId, t.callKey] })],
);

/** Second and further ids of calls, as hashes. Partitioned by session id. */
export const callAliases = pgTable(
  'call_aliases',
  (c) => ({
    sessionId: sessionId().notNull(),
    alias: c.bigint({ mode: 'bigint' }).notNull(),
    callKey: c.bigint({ mode: 'bigint' }).notNull(),
  }),
  (t) => [primaryKey({ columns: [t.sessionId, t.alias] })],
);

/**
 * Buckets of turns for charts of long main chains, by turn number (core/series/pyramid.ts): level 0 holds 16 turns,
 * each further level 8 buckets of the one below. Partitioned by session id.
 */
export const pyramid = pgTable(
  'pyramid',
  (c) => ({
    sessionId: sessionId().notNull(),
    firstTime: time().notNull(),
    lastTime: time().notNull(),
    cumulativeMin: tokens(),
    cumulativeMax: tokens(),
    cumulativeLast: tokens(),
    snapshotMin: tokens(),
    snapshotMax: tokens(),
    snapshotLast: tokens(),
    ...counts(),
    ...cumulative(),
    limitTokens: tokens(),
    bucket: c.integer().notNull(),
    turns: c.integer().notNull(),
    lastNumber: c.integer().notNull(),
    context: c.integer().notNull(),
    bits: c.integer().notNull(),
    level: c.smallint().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.sessionId, t.level, t.bucket] })],
);
