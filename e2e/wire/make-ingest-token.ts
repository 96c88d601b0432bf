import { createHash, randomBytes } from 'node:crypto';
import type postgres from 'postgres';

/** A token as `npm run token` makes one: shown once, stored as its hash. */
export async function makeIngestToken(sql: postgres.Sql): Promise<string> {
  const token = `bg_${randomBytes(32).toString('base64url')}`;
  const hash = createHash('sha256').update(token).digest();
  await sql`insert into tokens (name, scope, hash) values ('wire tests', 'ingest', ${hash})`;
  return token;
}
