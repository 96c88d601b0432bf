import { beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase } from '../testing/test-database';
import type { SessionRef } from './find-session';
import { createTestFeed, sessionOf, testTurn } from './testing-feed';
import { listTurns } from './turns';

const { sql } = await openTestDatabase();
let session: SessionRef;

beforeAll(async () => {
  const feed = await createTestFeed(sql);
  await feed.tell(
    { type: 'session_start', session: 'one', lens: 'snapshot', limit: 200_000 },
    { type: 'reading', session: 'one', contextTokens: 5_000, basis: 'total' },
  );
  for (let n = 1; n <= 7; n += 1) {
    await feed.tell(testTurn('one', n * 10_000));
    if (n === 3) await feed.tell({ type: 'reading', session: 'one', contextTokens: 31_000, basis: 'total' });
    if (n % 2 === 0) {
      await feed.tell(testTurn('one', n * 1_000, { chain: 'helper' }));
    }
  }
  session = await sessionOf(sql, 'one');
});

const numbers = async (parameters: Parameters<typeof listTurns>[2]) =>
  (await listTurns(sql, session, parameters)).turns.map(({ number, flags }) =>
    flags.includes('readingOnly') ? `${number}r` : `${number}`,
  );

describe('turns from a number on', () => {
  it('start at the given turn number, by default of the main chain', async () => {
    expect(await numbers({ turn: 4 })).toEqual(['4', '5', '6', '7']);
    const { turns } = await listTurns(sql, session, { chain: 'helper', turn: 2 });
    expect(turns.map(({ number, contextTokens }) => [number, contextTokens])).toEqual([
      [2, 4_000],
      [3, 6_000],
    ]);
  });

  it('include rows before the first turn if they start at 0, and nothing past the last turn', async () => {
    expect((await numbers({ turn: 0, limit: 2 }))[0]).toBe('0r');
    expect(await numbers({ turn: 8 })).toEqual([]);
    expect(await numbers({ turn: 2_000_000_000 })).toEqual([]);
  });

  it('go backwards from the last row of that number', async () => {
    expect(await numbers({ turn: 3, order: 'desc' })).toEqual(['3r', '3', '2', '1', '0r']);
    expect(await numbers({ turn: 99, order: 'desc', limit: 1 })).toEqual(['7']);
  });

  it('continue at a cursor, also with a turn number', async () => {
    const first = await listTurns(sql, session, { turn: 4, limit: 2 });
    const cursor = first.nextCursor ?? '';
    const next = await listTurns(sql, session, { turn: 4, limit: 2, cursor });
    expect(next.turns.map(({ number }) => number)).toEqual([6, 7]);
    expect(next.nextCursor).toBeNull();
  });

  it('contain only counted turns or only readings on request', async () => {
    expect(await numbers({ turn: 3, counted: 'yes', limit: 2 })).toEqual(['3', '4']);
    expect(await numbers({ chain: 'main', counted: 'no' })).toEqual(['0r', '3r']);
  });
});
