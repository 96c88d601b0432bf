import { defineConfig } from 'drizzle-kit';

/**
 * Columns have no explicit names: `casing` derives the names here and in `db/client.ts`, so both must agree.
 * `drizzle-kit generate` needs no database.
 */
export default defineConfig({
  dialect: 'postgresql',
  schema: './db/schema/index.ts',
  out: './db/migrations',
  casing: 'snake_case',
});
