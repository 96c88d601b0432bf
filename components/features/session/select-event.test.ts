import { describe, expect, it } from 'vitest';
import { eventOf } from '@/core/events/event.fixture';
import { archiveOf, compactionOf, openedEvent, ordinalOf } from './select-event';

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
    expect(archiveOf(events, find('c1'))?.state).toBe('stored');
    expect(archiveOf(events, find('c2'))?.state).toBe('failed');
  });
  it('is none where none is near', () => {
    expect(archiveOf(events.slice(0, 5), find('c2'))).toBeNull();
    expect(archiveOf(events, find('a1'))).toBeNull();
  });
  it('is the one its own event names, however far its notice lies', () => {
    const archive = { state: 'stored' as const, path: '/runs/a.jsonl', bytes: 12 };
    const named = eventOf({ id: 'n', kind: 'compaction', at: at(90), detail: { archive } });
    expect(archiveOf([...events, named], named)).toEqual({
      state: 'stored',
      detail: { path: '/runs/a.jsonl', bytes: 12 },
    });
  });
  it('is no notice that belongs to another compaction, or to one of another trigger', () => {
    const near = eventOf({ id: 'near', kind: 'compaction', at: at(13.5), detail: { state: 'confirmed' } });
    expect(archiveOf([...events, near], near)).toBeNull();
    const manual = eventOf({ id: 'm', kind: 'compaction', at: at(60), detail: { trigger: 'manual' } });
    const auto = eventOf({ id: 'a', kind: 'archive_stored', at: at(60), detail: { trigger: 'auto' } });
    expect(archiveOf([manual, auto], manual)).toBeNull();
  });
});

describe('compactionOf', () => {
  it('is the one that names an archive after the same turn, before any that is nearer in time', () => {
    const archive = eventOf({ id: 'a', kind: 'archive_stored', at: at(0), turn: 40 });
    const named = eventOf({
      id: 'c',
      kind: 'compaction',
      at: at(4),
      turn: 40,
      detail: { archive: { state: 'stored' } },
    });
    const nearer = eventOf({ id: 'd', kind: 'compaction', at: at(1), turn: 41 });
    expect(compactionOf([nearer, named, archive], archive)?.id).toBe('c');
    expect(compactionOf([nearer, archive], archive)?.id).toBe('d');
    expect(compactionOf([archive], archive)).toBeNull();
  });
  it('is none of a sub-agent', () => {
    const archive = eventOf({ id: 'a', kind: 'archive_stored', at: at(0) });
    const other = eventOf({ id: 'c', kind: 'compaction', chain: 'agent-a', at: at(0) });
    expect(compactionOf([other, archive], archive)).toBeNull();
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
