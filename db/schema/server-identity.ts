import { sql } from 'drizzle-orm';
import { boolean, check, pgTable, uuid } from 'drizzle-orm/pg-core';

/**
 * Who the server is: one row, made once, as old as the data. A copy of the data is the same server; an empty database is
 * another, which runners hand their archives over to again.
 */
export const serverIdentity = pgTable(
  'server_identity',
  {
    only: boolean().primaryKey().default(true),
    id: uuid().notNull().default(sql`gen_random_uuid()`),
  },
  (t) => [check('server_identity_only', sql`${t.only}`)],
);
