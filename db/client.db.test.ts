import { expect, it } from 'vitest';
import { openTestDatabase } from './testing/test-database';

const { sql } = await openTestDatabase();

it('returns dates, arrays, JSON and bigints unchanged', async () => {
  const at = new Date('2026-03-01T12:00:00.123Z');
  const detail = { nested: { list: [1, null, 'x'] }, text: 'ä' };
  const [row] = await sql`
    select ${at}::timestamptz as at, ${sql.json(detail)}::jsonb as detail, ${['a', 'b,"']}::text[] as names,
      ${[1, 2]}::int[] as numbers, ${[at.toISOString()]}::timestamptz[] as times,
      ${2 ** 53 - 1}::bigint as big`;
  expect(row).toEqual({
    at,
    detail,
    names: ['a', 'b,"'],
    numbers: [1, 2],
    times: [at],
    big: 2 ** 53 - 1,
  });
});

it('rejects a bigint beyond 2^53−1', async () => {
  await expect(sql`select ${'9007199254740993'}::bigint as big`).rejects.toThrow(/select it as text/);
});
