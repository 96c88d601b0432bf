/** For tests: compares a session's calls on the server with those that the scripted model answered. */
import type postgres from 'postgres';
import { expect } from 'vitest';
import type { SeenCall } from '@/runner/src/restart/testing/scripted-model';

/**
 * @param unread calls that a stopped agent may not have read, so that they may be missing
 * @returns the chains of the session's calls
 */
export async function compareCalls(
  sql: postgres.Sql,
  key: string,
  made: readonly SeenCall[],
  unread: readonly SeenCall[] = [],
) {
  const rows = await sql`
    select t.input, t.output, t.cache_read, t.cache_creation, t.chain from turns t
    join sessions s on s.id = t.session_id where s.key = ${key}`;
  const stored = rows.map((row) =>
    [row.input, row.output, row.cache_read, row.cache_creation].map(Number).join('/'),
  );
  const answered = made.map(textOf);
  for (const text of unread.map(textOf))
    if (countOf(stored, text) < countOf(answered, text)) answered.splice(answered.indexOf(text), 1);
  expect(stored.sort()).toEqual(answered.sort());
  return new Set(rows.map(({ chain }) => String(chain)));
}

const textOf = (call: SeenCall) => [call.input, call.output, call.cacheRead, call.cacheCreation].join('/');
const countOf = (texts: readonly string[], text: string) => texts.filter((each) => each === text).length;
