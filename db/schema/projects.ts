import { sql } from 'drizzle-orm';
import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from './columns';

/** A project groups sessions and holds their settings (thresholds; empty means the defaults). */
export const projects = pgTable('projects', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  name: text().notNull().unique(),
  settings: jsonb().notNull().default({}),
  createdAt: time().notNull().default(sql`now()`),
});
