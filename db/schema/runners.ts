import { sql } from 'drizzle-orm';
import { integer, pgTable, primaryKey, unique } from 'drizzle-orm/pg-core';
import { int8multirange, time } from './columns';

/** A project groups sessions and holds their settings (thresholds; empty means the defaults). */
export const projects = pgTable('projects', (c) => ({
  id: c.integer().primaryKey().generatedAlwaysAsIdentity(),
  name: c.text().notNull().unique(),
  settings: c.jsonb().notNull().default({}),
  createdAt: time().notNull().default(sql`now()`),
}));

/** The project of a row. */
export const projectId = () =>
  integer()
    .notNull()
    .references(() => projects.id);

/** A process that posts telemetry, by its name within a project. */
export const runners = pgTable(
  'runners',
  (c) => ({
    id: c.integer().primaryKey().generatedAlwaysAsIdentity(),
    projectId: projectId(),
    name: c.text().notNull(),
    host: c.text(),
    version: c.text(),
    firstSeenAt: time().notNull().default(sql`now()`),
    /** The last hello, ping or request. Null: never, or before a version that stores this. */
    seenAt: time(),
  }),
  (t) => [unique('runners_project_name').on(t.projectId, t.name)],
);

/** A runner's queue. `received` has all settled seqs, so that duplicates are detected with one row per stream. */
export const streams = pgTable('streams', (c) => ({
  id: c.integer().primaryKey().generatedAlwaysAsIdentity(),
  stream: c.uuid().notNull().unique(),
  runnerId: c
    .integer()
    .notNull()
    .references(() => runners.id),
  source: c.smallint().notNull(),
  /** The client that names the stream's sessions; null: the stream uses session keys of its project. */
  client: c.text(),
  /** Commands that the runner carries out, as its last hello states. */
  commands: c.text().array().notNull().default(sql`'{}'`),
  received: int8multirange().notNull().default('{}'),
  lastSeenAt: time().notNull().default(sql`now()`),
  /** Undelivered items of the queue, as stated in its last two hellos. Null: not stated. */
  queued: c.bigint({ mode: 'number' }),
  queuedBefore: c.bigint({ mode: 'number' }),
}));

/** Deliveries without a row of their own, to detect a seq with different content and to repeat a refusal. */
export const deliveries = pgTable(
  'deliveries',
  (c) => ({
    streamId: c
      .integer()
      .notNull()
      .references(() => streams.id),
    seq: c.bigint({ mode: 'number' }).notNull(),
    hash: c.bigint({ mode: 'bigint' }).notNull(),
    /** 0 duplicate, 1 amendment, 2 refused. */
    outcome: c.smallint().notNull(),
    /** For a refused item: `{code, field, reason}`. */
    refusal: c.jsonb(),
    receivedAt: time().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.streamId, t.seq, t.hash] })],
);
