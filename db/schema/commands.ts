import { sql } from 'drizzle-orm';
import { index, pgTable } from 'drizzle-orm/pg-core';
import { sessionId, time } from './columns';
import { sessions } from './sessions';

/** Commands of operators to the runners of a session. A command without a result expires. */
export const commands = pgTable(
  'commands',
  (c) => ({
    id: c.uuid().primaryKey().default(sql`gen_random_uuid()`),
    sessionId: sessionId()
      .notNull()
      .references(() => sessions.id),
    action: c.text().notNull(),
    /** Message for the agent. */
    text: c.text(),
    /** Why the operator sent it. */
    reason: c.text(),
    actor: c.text().notNull(),
    /** `sent`, then as the runner reports: `received`, `done` or `refused`. */
    state: c.text().notNull().default('sent'),
    /** Why the runner refused it. */
    refusal: c.text(),
    createdAt: time().notNull().default(sql`now()`),
    expiresAt: time().notNull(),
    changedAt: time().notNull().default(sql`now()`),
  }),
  (t) => [
    index('commands_session').on(t.sessionId, t.createdAt),
    index('commands_open').on(t.sessionId).where(sql`state in ('sent', 'received')`),
  ],
);
