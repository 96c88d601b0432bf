import { beforeAll, describe, expect, it } from 'vitest';
import type { ListEventsParameters } from '../../core/api/parameters';
import { openTestDatabase } from '../testing/test-database';
import { findSessionEvent, listEvents } from './events';
import { createTestFeed, sessionOf, testTurn } from './testing-feed';

const { sql } = await openTestDatabase();
beforeAll(async () => {
  const feed = await createTestFeed(sql);
  const start = { type: 'session_start', lens: 'snapshot', limit: 200_000 } as const;
  await feed.tell(
    { ...start, session: 'run/1', title: 'Sorts the 100 % of mail' },
    testTurn('run/1', 190_000),
    { ...start, session: 'run/2' },
    testTurn('run/2', 20_000),
    {
      type: 'compaction',
      session: 'run/2',
      chain: 'explorer',
      trigger: 'auto',
      state: 'confirmed',
      boundary: 'x',
    },
  );
});

const keysOf = async (parameters: ListEventsParameters) => {
  const { events } = await listEvents(sql, parameters);
  return [...new Set(events.map(({ sessionKey }) => sessionKey))].sort();
};

describe('events of all sessions', () => {
  it('match words of title, key and project, case-insensitively', async () => {
    expect(await keysOf({})).toEqual(['run/1', 'run/2']);
    expect(await keysOf({ q: 'MAIL sorts' })).toEqual(['run/1']);
    expect(await keysOf({ q: 'run/2 atlas' })).toEqual(['run/2']);
    expect(await keysOf({ q: 'run/1 run/2' })).toEqual([]);
    expect(await keysOf({ q: '  ' })).toEqual(['run/1', 'run/2']);
  });

  it('treat pattern characters in a search as text', async () => {
    expect(await keysOf({ q: '100 %' })).toEqual(['run/1']);
    expect(await keysOf({ q: 'r%1' })).toEqual([]);
    expect(await keysOf({ q: 'run_1' })).toEqual([]);
  });

  it('are filtered by chain and project', async () => {
    const main = await listEvents(sql, { scope: 'main' });
    const side = await listEvents(sql, { scope: 'side' });
    expect(main.events.every(({ chain }) => chain === 'main')).toBe(true);
    expect(side.events).toMatchObject([{ chain: 'explorer', kind: 'compaction' }]);
    const all = await listEvents(sql);
    expect(main.events.length + side.events.length).toBe(all.events.length);
  });

  it('are found by id in their own session only', async () => {
    const { events } = await listEvents(sql, { scope: 'side' });
    const [compaction] = events;
    if (compaction === undefined) throw new Error('nothing was recorded');
    const own = await sessionOf(sql, 'run/2');
    const other = await sessionOf(sql, 'run/1');
    expect(await findSessionEvent(sql, own, compaction.id)).toEqual(compaction);
    expect(await findSessionEvent(sql, other, compaction.id)).toBeNull();
    for (const id of [
      '',
      'x',
      "'; drop table events",
      compaction.id.replace(/compaction$/, 'restart'),
      `${compaction.id}\u0000`,
    ]) {
      expect(await findSessionEvent(sql, own, id)).toBeNull();
    }
  });
});
