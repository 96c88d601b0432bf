import { expect, it } from 'vitest';
import { sessionId } from '../core/identity/session-id';
import { deleteSession } from './delete-session';
import { deliver, NOON, numbered, openTestStream, readSnapshot } from './ingest/ingest-testing';
import { openTestDatabase } from './testing/test-database';

const { sql } = await openTestDatabase();

it('deletes all rows of a session except a tombstone, and refuses resends and new items', async () => {
  const stream = await openTestStream(sql);
  const items = numbered([
    { type: 'session_start', session: 'gone', at: NOON, title: 'Secret', clientSessionId: 'C' },
    { type: 'turn', session: 'gone', at: NOON, call: 'a', usage: { input: 1 } },
    { type: 'archive', session: 'gone', at: NOON, state: 'stored', path: '/secret' },
    { type: 'turn', session: 'stays', at: NOON, call: 'b', usage: { input: 2 } },
  ]);
  await deliver(sql, stream, items);
  const id = sessionId('shop', 'gone');
  expect(await deleteSession(sql, id)).toMatchObject({ publicId: id, version: 3 });
  expect(await deleteSession(sql, id)).toBeNull();
  expect(await deleteSession(sql, sessionId('shop', 'never was'))).toBeNull();

  const refused = { outcome: 'refused', code: 'session_deleted' };
  const again = await deliver(sql, stream, items);
  expect(again.outcomes[0]).toMatchObject([refused, refused, refused, { outcome: 'duplicate' }]);
  const more = await deliver(sql, stream, [
    { type: 'turn', seq: 5, session: 'gone', at: NOON, call: 'c', usage: { input: 1 } },
  ]);
  expect(more.outcomes[0]).toMatchObject([refused]);

  const snapshot = await readSnapshot(sql);
  for (const rows of [
    snapshot.turns,
    snapshot.events,
    snapshot.contexts,
    snapshot.chains,
    snapshot.reports,
  ]) {
    expect(rows.filter(({ session }) => session === 'gone')).toEqual([]);
  }
  expect(snapshot.sessions).toMatchObject([
    { key: 'gone', deleted: true, title: null, turn_count: 0 },
    { key: 'stays', deleted: false, turn_count: 1 },
  ]);
  const left = await sql`select state, reason, path, file_name as name from transcripts`;
  expect([...left]).toEqual([
    { state: 'deleted', reason: 'its session was deleted', path: null, name: null },
  ]);
});
