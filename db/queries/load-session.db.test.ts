import { beforeAll, describe, expect, it } from 'vitest';
import { session as sessionShape } from '../../core/api/session';
import { sessionId } from '../../core/identity/session-id';
import { deleteSession } from '../delete-session';
import { openTestDatabase } from '../testing/test-database';
import { listContexts } from './contexts';
import { listEvents, listSessionEvents } from './events';
import { fleetCounts } from './live-fleet';
import { loadSession } from './load-session';
import { allPages, createTestFeed, sessionOf, testTurn } from './testing-feed';
import { listTurns } from './turns';

const now = Date.now();
const clock = { nowMs: now, idleAfterMs: 600_000 };
const at = (minutesAgo: number) => now - minutesAgo * 60_000;
const id = sessionId('atlas', 'long');

const { sql } = await openTestDatabase();
beforeAll(async () => {
  const feed = await createTestFeed(sql, { source: 'transcript', now: () => now });
  await feed.tell(
    {
      type: 'session_start',
      session: 'long',
      at: at(50),
      lens: 'snapshot',
      limit: 200_000,
      title: 'Long one',
      client: 'claude-code',
      clientVersion: '2.1.90',
      clientSessionId: 'c-1',
      host: 'h',
      folder: '/srv',
      branch: 'main',
    },
    testTurn('long', 60_000, {
      at: at(49),
      call: 'm1',
      model: 'opus',
      usage: { input: 100, output: 50, cacheRead: 59_000, cacheCreation: 850 },
    }),
    testTurn('long', 160_000, {
      at: at(40),
      call: 'm2',
      model: 'opus',
      usage: { input: 10, output: 90, cacheRead: 155_000, cacheCreation: 4_900 },
    }),
    {
      type: 'turn',
      session: 'long',
      at: at(39),
      chain: 'helper',
      call: 's1',
      usage: { input: 7, output: 3, cacheRead: 0, cacheCreation: 0 },
      contextTokens: 9_000,
    },
    { type: 'turn', session: 'long', at: at(38), scope: 'side', call: 'm3', usage: { input: 5, output: 5 } },
    {
      type: 'compaction',
      session: 'long',
      at: at(30),
      trigger: 'auto',
      state: 'confirmed',
      preTokens: 161_000,
      postTokens: 3_000,
      boundary: 'b1',
    },
    testTurn('long', 40_000, {
      at: at(29),
      call: 'm4',
      model: 'opus',
      usage: { input: -4, output: 20, cacheRead: 39_000, cacheCreation: 900 },
    }),
  );
});

describe('a stored session', () => {
  it('has every field of its schema, and the figures of its turns', async () => {
    const loaded = await loadSession(sql, id, clock);
    expect(sessionShape.strict().parse(loaded?.session)).toMatchObject({
      id,
      key: 'long',
      title: 'Long one',
      project: 'atlas',
      runner: 'desk',
      model: 'opus',
      client: 'claude-code',
      clientSessionIds: ['c-1'],
      host: 'h',
      folder: '/srv',
      branch: 'main',
      lens: 'snapshot',
      limit: 200_000,
      limitSource: 'session',
      used: 40_000,
      pressure: 0.2,
      state: 'nominal',
      compactions: 1,
      continuations: 0,
      contextCount: 2,
      turnCount: 5,
      sources: ['transcript'],
      lastEvent: { kind: 'compaction', label: 'compaction', at: new Date(at(30)).toISOString() },
      totals: {
        main: { input: 110, output: 160, cacheRead: 253_000, cacheCreation: 6_650, calls: 3 },
        side: { input: 12, output: 8, cacheRead: 0, cacheCreation: 0, calls: 2 },
        all: { input: 122, output: 168, cacheRead: 253_000, cacheCreation: 6_650, calls: 5 },
      },
      startedAt: new Date(at(50)).toISOString(),
      lastTurnAt: new Date(at(29)).toISOString(),
      endedAt: null,
      liveness: 'live',
    });
    expect(loaded?.session.coverage.find(({ topic }) => topic === 'restarts')?.seen).toBe(false);
    expect(loaded?.session.trace.at(-1)).toEqual([Math.floor(at(29) / 1_000), 40_000, 1]);
  });

  it('has no trace after an hour, but keeps its figures', async () => {
    const later = await loadSession(sql, id, { ...clock, nowMs: now + 3_600_000 });
    expect(later?.session).toMatchObject({ trace: [], used: 40_000, liveness: 'idle' });
  });

  it('has its contexts, the main chain first', async () => {
    const ref = await sessionOf(sql, 'long');
    const contexts = await listContexts(sql, ref);
    expect(contexts).toMatchObject([
      {
        chain: 'main',
        index: 0,
        endedBy: 'compaction',
        endedAt: new Date(at(30)).toISOString(),
        turnCount: 3,
        totals: { input: 115, output: 145, cacheRead: 214_000, cacheCreation: 5_750, calls: 3 },
        cumulative: { input: 110, output: 140, cacheRead: 214_000 },
        firstOccupancy: 60_000,
        lastOccupancy: 160_000,
        peakOccupancy: 160_000,
      },
      { chain: 'main', index: 1, endedBy: null, endedAt: null, turnCount: 1, peakOccupancy: 40_000 },
      { chain: 'helper', index: 0, turnCount: 1, totals: { input: 7, output: 3, calls: 1 } },
    ]);
    expect(await listContexts(sql, ref, { chain: 'helper' })).toHaveLength(1);
  });

  it('has its turns in order, by page, by chain and by context', async () => {
    const ref = await sessionOf(sql, 'long');
    const all = await listTurns(sql, ref);
    expect(all.turns.map((turn) => [turn.chain, turn.number, turn.context, turn.scope])).toEqual([
      ['main', 1, 0, 'main'],
      ['main', 2, 0, 'main'],
      ['helper', 1, 0, 'main'],
      ['main', 3, 0, 'side'],
      ['main', 4, 1, 'main'],
    ]);
    expect(all.turns[4]).toMatchObject({
      usage: { input: -4, output: 20 },
      cumulative: { input: 0, output: 20, cacheRead: 39_000 },
      contextTokens: 40_000,
      basis: 'total',
      limit: 200_000,
      limitSource: 'session',
      model: 'opus',
      flags: ['negative'],
    });
    const backwards = await listTurns(sql, ref, { order: 'desc', limit: 2 });
    const rest = await listTurns(sql, ref, { cursor: backwards.nextCursor ?? '', limit: 10 });
    expect([...backwards.turns, ...rest.turns]).toEqual([...all.turns].reverse());
    expect(rest.nextCursor).toBeNull();
    expect((await listTurns(sql, ref, { chain: 'helper' })).turns).toHaveLength(1);
    expect((await listTurns(sql, ref, { context: 1 })).turns.map((turn) => turn.number)).toEqual([4]);
  });

  it('has its events by page and by kind, the compaction with its figures', async () => {
    const ref = await sessionOf(sql, 'long');
    const { events } = await listSessionEvents(sql, ref, { order: 'asc' });
    expect(events.map((event) => event.kind)).toEqual(
      expect.arrayContaining(['session_started', 'state_changed', 'compaction']),
    );
    const only = await listSessionEvents(sql, ref, { kind: ['compaction'] });
    expect(only.events).toMatchObject([
      {
        chain: 'main',
        context: 0,
        turn: 3,
        project: 'atlas',
        sessionTitle: 'Long one',
        detail: {
          trigger: 'auto',
          state: 'confirmed',
          preTokens: 161_000,
          postTokens: 3_000,
          lastReading: 160_000,
          firstReading: 40_000,
          contextBefore: 0,
          contextAfter: 1,
        },
      },
    ]);
    const paged = await allPages(async (cursor) => {
      const { events: page, nextCursor } = await listSessionEvents(sql, ref, {
        order: 'asc',
        limit: 1,
        ...cursor,
      });
      return { page, nextCursor };
    });
    expect(paged).toEqual(events);
    expect((await listSessionEvents(sql, ref, { from: at(31), to: at(30) })).events).toHaveLength(1);
  });

  it('counts towards the fleet’s figures for the last hour only', async () => {
    expect(await fleetCounts(sql, now)).toEqual({
      restarts: 0,
      compactions: 1,
      cacheReadShare: 253_000 / (253_000 + 6_650 + 122),
    });
    expect(await fleetCounts(sql, now + 3_600_000)).toMatchObject({ compactions: 0, cacheReadShare: null });
  });
});

describe('events of all sessions', () => {
  it('are listed by time in pages, with a stable order of ties', async () => {
    const feed = await createTestFeed(sql, { project: 'borealis', now: () => now });
    for (const session of ['a', 'b', 'c']) {
      await feed.tell(
        { type: 'session_start', session, at: at(5) },
        { type: 'clear', session, at: at(5), tokensCleared: 3 },
      );
    }
    for (const order of ['asc', 'desc'] as const) {
      const whole = await listEvents(sql, { order });
      const paged = await allPages(async (cursor) => {
        const { events: page, nextCursor } = await listEvents(sql, { order, limit: 2, ...cursor });
        return { page, nextCursor };
      });
      expect(paged).toEqual(whole.events);
      const times = paged.map((event) => event.at);
      const sorted = [...times].sort();
      expect(times).toEqual(order === 'asc' ? sorted : sorted.reverse());
    }
    const cleared = await listEvents(sql, { kind: ['context_cleared'], project: ['borealis'] });
    expect(cleared.events).toHaveLength(3);
    expect((await listEvents(sql, { project: ['nowhere'] })).events).toEqual([]);
  });
});

describe('an adopted or deleted session', () => {
  it('is found under the new id of its items after a runner claimed its client id', async () => {
    const watcher = await createTestFeed(sql, { source: 'hook', runner: 'watcher', now: () => now });
    await watcher.tell(
      { type: 'session_start', session: 'seen', client: 'claude-code', clientSessionId: 'c-77' },
      testTurn('seen', 1_000, { call: 'x1' }),
    );
    const runner = await createTestFeed(sql, { runner: 'runner', now: () => now });
    await runner.tell({
      type: 'session_start',
      session: 'owner',
      client: 'claude-code',
      clientSessionId: 'c-77',
    });
    const moved = await loadSession(sql, sessionId('atlas', 'seen'), clock);
    expect(moved?.session).toMatchObject({ id: sessionId('atlas', 'owner'), turnCount: 1 });
  });

  it('has no rows after its deletion', async () => {
    const ref = await sessionOf(sql, 'long');
    await deleteSession(sql, id);
    expect(await loadSession(sql, id, clock)).toBeNull();
    const events = await listEvents(sql, { limit: 1_000 });
    expect(events.events.filter((event) => event.sessionId === ref.publicId)).toEqual([]);
  });
});
