import { expect, it } from 'vitest';
import { hint, noHints, publishHints, SESSIONS_CHANNEL } from './hints';
import { openTestDatabase } from './testing/test-database';
import { transact } from './transact';

const { sql } = await openTestDatabase();
const sessions = (...pairs: [string, number][]) => ({ ...noHints(), sessions: new Map(pairs) });

it('sends a hint after the commit, merges hints, and sends none after a rollback', async () => {
  const payloads: string[] = [];
  const { unlisten } = await sql.listen(SESSIONS_CHANNEL, (payload) => payloads.push(payload));
  await transact(sql, async (tx) => {
    hint(tx, sessions(['first', 1], ['second', 1]));
    hint(tx, sessions(['first', 2]));
  });
  const undone = transact(sql, async (tx) => {
    hint(tx, sessions(['undone', 1]));
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  hint(sql, sessions(['outside', 1]));
  hint(sql, sessions(['outside', 3]));
  hint(sql, sessions(['outside', 2]));
  await expect.poll(() => payloads.flatMap((text) => JSON.parse(text)).at(-1)).toEqual(['outside', 3]);
  expect(payloads[0]).toBe('[["first",2],["second",1]]');
  expect(payloads.join()).not.toContain('undone');
  await unlisten();
});

it('divides many hints into payloads that NOTIFY accepts', async () => {
  let count = 0;
  const { unlisten } = await sql.listen(SESSIONS_CHANNEL, (payload) => {
    count += JSON.parse(payload).length;
  });
  const ids = Array.from({ length: 1_000 }, (_, n): [string, number] => [`${n}-${'x'.repeat(36)}`, 2 ** 40]);
  hint(sql, sessions(...ids));
  await expect.poll(() => count).toBe(1_000);
  await unlisten();
});

it('publishes hints elsewhere while that is connected, and by NOTIFY otherwise', async () => {
  const payloads: string[] = [];
  const { unlisten } = await sql.listen(SESSIONS_CHANNEL, (payload) => payloads.push(payload));
  const published: string[] = [];
  let isConnected = true;
  publishHints(sql, (_, payload) => {
    if (isConnected) published.push(payload);
    return isConnected;
  });
  hint(sql, sessions(['over', 1]));
  expect(published).toEqual(['[["over",1]]']);
  isConnected = false;
  hint(sql, sessions(['back', 1]));
  await expect.poll(() => payloads).toEqual(['[["back",1]]']);
  await unlisten();
});
