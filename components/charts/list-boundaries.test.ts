import { describe, expect, it } from 'vitest';
import { isBoundaryEvent, listBoundaries } from './list-boundaries';
import { contextOf, eventOf } from './series-fixture';

const at = (minute: number) => new Date(minute * 60_000).toISOString();

describe('listBoundaries', () => {
  it('joins a closed context with its event, before → after in whole-context readings', () => {
    const contexts = [
      contextOf({ index: 0, endedAt: at(5), endedBy: 'compaction', turnCount: 50, lastOccupancy: 154_446 }),
      contextOf({ index: 1, turnCount: 77, firstOccupancy: 67_041 }),
    ];
    const events = [
      eventOf({
        id: 'e1',
        kind: 'compaction',
        at: at(5),
        turn: 50,
        detail: {
          trigger: 'auto',
          state: 'confirmed',
          preTokens: 156_699,
          lastReading: 154_446,
          postTokens: 9_000,
          firstReading: 67_041,
        },
      }),
    ];
    expect(listBoundaries(contexts, events, 'snapshot')).toEqual([
      {
        id: 'e1',
        eventId: 'e1',
        kind: 'compaction',
        at: 300_000,
        turn: 50,
        contextAfter: 1,
        before: 156_699,
        after: 67_041,
        read: 154_446,
        from: 156_699,
        to: 67_041,
        limit: 200_000,
        trigger: 'auto',
      },
    ]);
  });
  it('knows a boundary from its context alone while the event is not loaded', () => {
    const contexts = [
      contextOf({ index: 0, endedAt: at(5), endedBy: 'restart', turnCount: 12, lastOccupancy: 180_100 }),
      contextOf({ index: 1, firstOccupancy: 20_000 }),
    ];
    expect(listBoundaries(contexts, [], 'snapshot')[0]).toMatchObject({
      id: 'context-0',
      eventId: null,
      turn: 12,
      before: 180_100,
      after: 20_000,
    });
  });
  it('lists a boundary that came over the live feed before the contexts were read again', () => {
    const events = [eventOf({ id: 'e2', kind: 'restart', at: at(9), turn: 30, detail: { continuation: 1 } })];
    const contexts = [contextOf({ index: 0, turnCount: 30 })];
    expect(listBoundaries(contexts, events, 'snapshot')).toMatchObject([
      { id: 'e2', kind: 'restart', contextAfter: 1, turn: 30 },
    ]);
  });
  it('lets the cumulative trace fall to zero, whatever the client says about its context', () => {
    const contexts = [
      contextOf({
        index: 0,
        endedAt: at(5),
        endedBy: 'compaction',
        cumulative: { input: 9_000, output: 3_000, cacheRead: 1_000_000 },
      }),
      contextOf({ index: 1 }),
    ];
    const events = [
      eventOf({
        id: 'e1',
        kind: 'compaction',
        at: at(5),
        detail: { preTokens: 150_000, usedBefore: 12_000 },
      }),
    ];
    expect(listBoundaries(contexts, events, 'cumulative')[0]).toMatchObject({
      before: 150_000,
      from: 12_000,
      to: 0,
    });
    expect(listBoundaries(contexts, [], 'cumulative')[0]).toMatchObject({ from: 12_000, to: 0 });
  });
  it('takes no pending, blocked or sub-agent compaction for a boundary', () => {
    expect(isBoundaryEvent(eventOf({ id: 'a', kind: 'compaction', detail: { state: 'pending' } }))).toBe(
      false,
    );
    expect(isBoundaryEvent(eventOf({ id: 'b', kind: 'compaction', detail: { state: 'blocked' } }))).toBe(
      false,
    );
    expect(isBoundaryEvent(eventOf({ id: 'c', kind: 'compaction', chain: 'agent-7' }))).toBe(false);
    expect(isBoundaryEvent(eventOf({ id: 'd', kind: 'context_cleared' }))).toBe(true);
  });
});
