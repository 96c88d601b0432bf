import { sql } from 'drizzle-orm';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns';

/** Access tokens. Only the SHA-256 is kept: a token is printed once, when it is made. */
export const tokens = pgTable('tokens', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  name: text().notNull(),
  /** `ingest`, `read` or `admin`. */
  scope: text().notNull(),
  hash: bytea().notNull().unique(),
  createdAt: time().notNull().default(sql`now()`),
  lastUsedAt: time(),
  revokedAt: time(),
});
