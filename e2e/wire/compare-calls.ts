/** For tests: compares a session's calls on the server with those that the scripted model answered. */
import type postgres from 'postgres';
import { expect } from 'vitest';
import type { SeenCall } from '@/runner/src/restart/testing/scripted-model';

/** @returns the chains of the session's calls. */
export async function compareCalls(sql: postgres.Sql, key: string, made: readonly SeenCall[]) {
  const rows = await sql`
    select t.input, t.output, t.cache_read, t.cache_creation, t.chain from turns t
    join sessions s on s.id = t.session_id where s.key = ${key}`;
  const sorted = (calls: number[][]) => calls.sort((a, b) => a.join().localeCompare(b.join()));
  const stored = rows.map((row) => [row.input, row.output, row.cache_read, row.cache_creation].map(Number));
  const answered = made.map((call) => [call.input, call.output, call.cacheRead, call.cacheCreation]);
  expect(sorted(stored)).toEqual(sorted(answered));
  return new Set(rows.map(({ chain }) => String(chain)));
}
