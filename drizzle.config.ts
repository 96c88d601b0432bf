import { defineConfig } from 'drizzle-kit';

/**
 * Columns carry no explicit names: `casing` derives them here and in `db/client.ts`, and the two must agree.
 * `drizzle-kit generate` needs no database.
 */
export default defineConfig({
  dialect: 'postgresql',
  schema: './db/schema/index.ts',
  out: './db/migrations',
  casing: 'snake_case',
});
