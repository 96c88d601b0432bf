import { sql } from 'drizzle-orm';
import { integer, pgTable, text, unique } from 'drizzle-orm/pg-core';
import { time } from './columns';
import { projects } from './projects';

/** A process that posts telemetry, by its name within a project. */
export const runners = pgTable(
  'runners',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    projectId: integer()
      .notNull()
      .references(() => projects.id),
    name: text().notNull(),
    host: text(),
    version: text(),
    firstSeenAt: time().notNull().default(sql`now()`),
  },
  (t) => [unique('runners_project_name').on(t.projectId, t.name)],
);
