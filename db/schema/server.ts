import { sql } from 'drizzle-orm';
import { check, pgTable } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns';

/** Access tokens. Only the SHA-256 is stored; the token is shown only when it is created. */
export const tokens = pgTable('tokens', (c) => ({
  id: c.integer().primaryKey().generatedAlwaysAsIdentity(),
  name: c.text().notNull(),
  scope: c.text().notNull(),
  /** The only project that the token may write. Null: every project. */
  project: c.text(),
  hash: bytea().notNull().unique(),
  createdAt: time().notNull().default(sql`now()`),
  lastUsedAt: time(),
  revokedAt: time(),
}));

/** Identity of the server, in a single row. A server on a copy of the data has the same identity. */
export const serverIdentity = pgTable(
  'server_identity',
  (c) => ({
    only: c.boolean().primaryKey().default(true),
    id: c.uuid().notNull().default(sql`gen_random_uuid()`),
  }),
  (t) => [check('server_identity_only', sql`${t.only}`)],
);
