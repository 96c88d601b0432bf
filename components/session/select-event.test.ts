import { describe, expect, it } from 'vitest';
import { eventOf } from '../charts/series-fixture';
import { archiveOf, openedEvent, ordinalOf } from './select-event';

const at = (minute: number) => new Date(minute * 60_000).toISOString();
const events = [
  eventOf({ id: 'start', kind: 'session_started', at: at(0) }),
  eventOf({ id: 'a1', kind: 'archive_stored', at: at(9) }),
  eventOf({ id: 'c1', kind: 'compaction', at: at(10), detail: { state: 'confirmed' } }),
  eventOf({ id: 'blocked', kind: 'compaction', at: at(12), detail: { state: 'blocked' } }),
  eventOf({ id: 'c2', kind: 'compaction', at: at(30), detail: { state: 'confirmed' } }),
  eventOf({ id: 'a2', kind: 'archive_failed', at: at(30.2) }),
  eventOf({ id: 'state', kind: 'state_changed', at: at(40) }),
];
const find = (id: string) => events.find((event) => event.id === id) ?? eventOf({ id, kind: 'redlined' });

describe('openedEvent', () => {
  it('is the one of the address, or else the last boundary', () => {
    expect(openedEvent(events, 'state')?.id).toBe('state');
    expect(openedEvent(events, 'gone')?.id).toBe('c2');
    expect(openedEvent(events, null)?.id).toBe('c2');
    expect(openedEvent(events.slice(0, 2), null)?.id).toBe('a1');
    expect(openedEvent([], null)).toBeNull();
  });
});

describe('archiveOf', () => {
  it('is the nearest notice, whether it came before or after the boundary', () => {
    expect(archiveOf(events, find('c1'))?.id).toBe('a1');
    expect(archiveOf(events, find('c2'))?.id).toBe('a2');
  });
  it('is none where none is near', () => {
    expect(archiveOf(events.slice(0, 5), find('c2'))).toBeNull();
  });
});

describe('ordinalOf', () => {
  it('counts the compactions that happened', () => {
    expect(ordinalOf(events, find('c2'), true)).toBe(2);
    expect(ordinalOf(events, find('blocked'), true)).toBeNull();
  });
  it('does not count from a part of the events', () => {
    expect(ordinalOf(events, find('c2'), false)).toBeNull();
  });
});
