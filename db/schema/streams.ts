import { sql } from 'drizzle-orm';
import { bigint, integer, jsonb, pgTable, primaryKey, smallint, uuid } from 'drizzle-orm/pg-core';
import { int8multirange, time } from './columns';
import { runners } from './runners';

/**
 * A runner's queue, known by its random id. `received` holds every seq that was settled: one range for an
 * orderly stream, so the permanent memory of duplicates costs a row a stream and not a row a turn.
 */
export const streams = pgTable('streams', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  stream: uuid().notNull().unique(),
  runnerId: integer()
    .notNull()
    .references(() => runners.id),
  /** Index into the list of sources: 0 transcript, 1 sdk, 2 hook, 3 otlp. */
  source: smallint().notNull(),
  received: int8multirange().notNull().default('{}'),
  lastSeenAt: time().notNull().default(sql`now()`),
});

/**
 * What a seq carried when it made no row of its own (a duplicate call, an amendment, a refused item): its
 * content hash, so that the same seq with other content is still recognised, and a refusal is repeated as it
 * was. Rare by nature.
 */
export const deliveries = pgTable(
  'deliveries',
  {
    streamId: integer()
      .notNull()
      .references(() => streams.id),
    seq: bigint({ mode: 'number' }).notNull(),
    hash: bigint({ mode: 'bigint' }).notNull(),
    /** 0 duplicate, 1 amendment, 2 refused. */
    outcome: smallint().notNull(),
    /** For a refused item: `{code, field, reason}`. */
    refusal: jsonb(),
    receivedAt: time().notNull(),
  },
  (t) => [primaryKey({ columns: [t.streamId, t.seq, t.hash] })],
);
