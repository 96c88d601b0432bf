import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { sessionId, time } from './columns';
import { sessions } from './sessions';

/**
 * What operators wrote at moments of a session. They are no items: no fold reads them, and no partition holds them.
 * A deleted note stays as a tombstone without its text; with its session it goes altogether.
 */
export const notes = pgTable(
  'notes',
  {
    id: uuid().primaryKey().default(sql`gen_random_uuid()`),
    sessionId: sessionId()
      .notNull()
      .references(() => sessions.id),
    at: time().notNull(),
    /** Number of the last turn of the main chain then; null: an adoption renumbered the turns. */
    turn: integer(),
    text: text().notNull(),
    author: text(),
    createdAt: time().notNull().default(sql`now()`),
    editedAt: time(),
    editedBy: text(),
    deletedAt: time(),
    version: bigint({ mode: 'number' }).notNull().default(1),
  },
  (t) => [index('notes_session').on(t.sessionId, t.at)],
);
