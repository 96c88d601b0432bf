/** For tests of backups: an empty database, and the lines of a script. */
import type postgres from 'postgres';
import { createTestDatabase } from '../testing/test-database';

export async function withEmpty(work: (client: postgres.Sql, url: string) => Promise<void>): Promise<void> {
  const database = await createTestDatabase();
  try {
    await database.sql.unsafe('drop schema public, drizzle cascade; create schema public');
    await work(database.sql, database.url);
  } finally {
    await database.close();
  }
}

export async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.replace(/\n$/, '').split('\n');
}
