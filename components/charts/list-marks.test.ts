import { describe, expect, it } from 'vitest';
import type { EventDetail, EventKind } from '@/core/events/details';
import type { SessionEvent } from '@/core/events/event';
import { eventOf } from '@/core/events/event.fixture';
import { isBoundaryEvent, listBoundaries, listFlags } from './list-marks';
import { contextOf } from './series-fixture';

const at = (minute: number) => new Date(minute * 60_000).toISOString();

describe('listBoundaries', () => {
  it('joins a closed context with its event, and shows the readings before → after', () => {
    const contexts = [
      contextOf({ index: 0, endedAt: at(5), endedBy: 'compaction', turnCount: 50, lastOccupancy: 154_446 }),
      contextOf({ index: 1, turnCount: 77, firstOccupancy: 67_041 }),
    ];
    const detail = { preTokens: 156_699, lastReading: 154_446, postTokens: 9_000, firstReading: 67_041 };
    const events = [eventOf({ id: 'e1', kind: 'compaction', at: at(5), turn: 50, detail })];
    const place = { at: 300_000, turn: 50, contextAfter: 1, from: 156_699, to: 67_041, limit: 200_000 };
    const readings = { before: 156_699, after: 67_041, read: 154_446 };
    const event = { id: 'e1', eventId: 'e1', kind: 'compaction', trigger: 'auto' };
    expect(listBoundaries(contexts, events, 'snapshot')).toEqual([{ ...event, ...place, ...readings }]);
  });

  it('lists a closed context without its event, which is not loaded', () => {
    const contexts = [
      contextOf({ index: 0, endedAt: at(5), endedBy: 'restart', turnCount: 12, lastOccupancy: 180_100 }),
      contextOf({ index: 1, firstOccupancy: 20_000 }),
    ];
    const known = { id: 'context-0', eventId: null, turn: 12, before: 180_100, after: 20_000 };
    expect(listBoundaries(contexts, [], 'snapshot')).toMatchObject([known]);
  });

  it('lists a boundary event that is newer than the loaded contexts', () => {
    const events = [eventOf({ id: 'e2', kind: 'restart', at: at(9), turn: 30 })];
    const boundaries = listBoundaries([contextOf({ index: 0, turnCount: 30 })], events, 'snapshot');
    expect(boundaries).toMatchObject([{ id: 'e2', kind: 'restart', contextAfter: 1, turn: 30 }]);
  });

  it("drops the cumulative trace to zero, regardless of the client's count", () => {
    const cumulative = { input: 9_000, output: 3_000, cacheRead: 1_000_000 };
    const contexts = [
      contextOf({ index: 0, endedAt: at(5), endedBy: 'compaction', cumulative }),
      contextOf({ index: 1 }),
    ];
    const detail = { preTokens: 150_000, usedBefore: 12_000 };
    const events = [eventOf({ id: 'e1', kind: 'compaction', at: at(5), detail })];
    const drop = { before: 150_000, from: 12_000, to: 0 };
    expect(listBoundaries(contexts, events, 'cumulative')).toMatchObject([drop]);
    expect(listBoundaries(contexts, [], 'cumulative')).toMatchObject([{ from: 12_000, to: 0 }]);
  });

  it('leaves out pending, blocked and sub-agent compactions', () => {
    const of = (state: EventDetail<'compaction'>['state'], chain = 'main') =>
      isBoundaryEvent(eventOf({ id: 'a', kind: 'compaction', chain, detail: { state } }));
    expect(of('confirmed')).toBe(true);
    expect([of('pending'), of('blocked'), of('confirmed', 'agent-7')]).toEqual([false, false, false]);
    expect(isBoundaryEvent(eventOf({ id: 'd', kind: 'context_cleared' }))).toBe(true);
  });
});

describe('listFlags', () => {
  const only = <K extends EventKind>(kind: K, detail: Partial<EventDetail<K>> = {}) => {
    const [flag] = listFlags([eventOf({ id: 'e', kind, detail, turn: 7 }) as SessionEvent]);
    return flag === undefined ? null : `${flag.text} ${flag.note}`.trim().replaceAll('\u00a0', ' ');
  };

  it.each<[string, EventKind, object?]>([
    ['12 turns lost', 'turns_dropped', { count: 12 }],
    ['1 turn lost', 'turns_dropped', { count: 1 }],
    ['160 k → 120 k compressed', 'context_compressed'],
    ['200 k → 1.00 M window', 'window_changed'],
    ['≈200 k → 1.00 M window', 'window_changed', { fromSource: 'assumed' }],
    ['compaction started', 'compaction', { state: 'pending' }],
    ['compaction blocked', 'compaction', { state: 'blocked' }],
    ['archive failed', 'archive_failed'],
    ['thrash', 'thrash'],
  ])('flags %s', (words, kind, detail = {}) => {
    expect(only(kind, detail)).toBe(words);
  });

  it('leaves out boundaries, sub-agents and kinds the chart does not draw', () => {
    for (const kind of ['compaction', 'restart', 'archive_stored'] as const) expect(only(kind)).toBeNull();
    expect(listFlags([eventOf({ id: 'e', kind: 'context_compressed', chain: 'agent-a' })])).toEqual([]);
  });
});
