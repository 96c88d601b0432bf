import { expect, it } from 'vitest';
import { openTestDatabase } from './testing/test-database';

const { sql } = await openTestDatabase();

it('rejects a bigint beyond 2^53−1', async () => {
  await expect(sql`select ${'9007199254740993'}::bigint as big`).rejects.toThrow(/select it as text/);
});
