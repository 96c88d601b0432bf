import { sql } from 'drizzle-orm';
import { check, pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns';

/** Access tokens. Only the SHA-256 is stored; the token is shown only when it is created or rotated. */
export const tokens = pgTable(
  'tokens',
  (c) => ({
    id: c.integer().primaryKey().generatedAlwaysAsIdentity(),
    name: c.text().notNull(),
    scopes: c.text().array().notNull(),
    /** The only projects that the token may use. Null: every project. */
    projects: c.text().array(),
    hash: bytea().notNull().unique(),
    /** First characters of the secret. Null: a token of an earlier version. */
    start: c.text(),
    /** The secret before the last rotation, valid until `oldUntil`. */
    oldHash: bytea().unique(),
    oldUntil: time(),
    createdAt: time().notNull().default(sql`now()`),
    expiresAt: time(),
    lastUsedAt: time(),
    lastUsedFrom: c.text(),
    revokedAt: time(),
  }),
  (t) => [uniqueIndex('tokens_name').on(t.name).where(sql`revoked_at is null`)],
);

/** Identity of the server, in a single row. A server on a copy of the data has the same identity. */
export const serverIdentity = pgTable(
  'server_identity',
  (c) => ({
    only: c.boolean().primaryKey().default(true),
    id: c.uuid().notNull().default(sql`gen_random_uuid()`),
    /** Signs the cookies of log-ins. */
    cookieSecret: c.text().notNull().default(sql`gen_random_uuid()::text || gen_random_uuid()::text`),
  }),
  (t) => [check('server_identity_only', sql`${t.only}`)],
);
