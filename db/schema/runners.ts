import { sql } from 'drizzle-orm';
import {
  bigint,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { int8multirange, time } from './columns';

/** A project groups sessions and holds their settings (thresholds; empty means the defaults). */
export const projects = pgTable('projects', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  name: text().notNull().unique(),
  settings: jsonb().notNull().default({}),
  createdAt: time().notNull().default(sql`now()`),
});

/** The project of a row. */
export const projectId = () =>
  integer()
    .notNull()
    .references(() => projects.id);

/** A process that posts telemetry, by its name within a project. */
export const runners = pgTable(
  'runners',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    projectId: projectId(),
    name: text().notNull(),
    host: text(),
    version: text(),
    firstSeenAt: time().notNull().default(sql`now()`),
  },
  (t) => [unique('runners_project_name').on(t.projectId, t.name)],
);

/**
 * A runner's queue. `received`: every settled seq, so that the memory of duplicates costs a row a stream, not a
 * turn.
 */
export const streams = pgTable('streams', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  stream: uuid().notNull().unique(),
  runnerId: integer()
    .notNull()
    .references(() => runners.id),
  source: smallint().notNull(),
  received: int8multirange().notNull().default('{}'),
  lastSeenAt: time().notNull().default(sql`now()`),
});

/**
 * What a seq carried when it made no row of its own: the same seq with other content is still recognised, and a
 * refusal is repeated as it was.
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
