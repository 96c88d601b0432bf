import { describe, expect, it } from 'vitest';
import { eventOf } from '@/core/events/event.fixture';
import { boundaryOf } from '../../charts/series-fixture';
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
const whole = { from: null, to: null };
const find = (id: string) => events.find((event) => event.id === id) ?? eventOf({ id, kind: 'redlined' });

describe('openedEvent', () => {
  it('is the event of the address, else the last boundary, else the last event', () => {
    expect(openedEvent(events, 'state', whole)?.id).toBe('state');
    expect(openedEvent(events, 'gone', whole)?.id).toBe('c2');
    expect(openedEvent(events, null, whole)?.id).toBe('c2');
    expect(openedEvent(events.slice(0, 2), null, whole)?.id).toBe('a1');
    expect(openedEvent([], null, whole)).toBeNull();
  });

  it('is a boundary of the visible range, if there is one', () => {
    const range = { from: 5 * 60_000, to: 20 * 60_000 };
    expect(openedEvent(events, null, range)?.id).toBe('c1');
    expect(openedEvent(events, null, { ...whole, from: 35 * 60_000 })?.id).toBe('c2');
  });
});

describe('compactionOf', () => {
  const compaction = (id: string, archive: object, chain = 'main') => {
    const detail = { archive: { state: 'stored' as const, ...archive } };
    return eventOf({ id, kind: 'compaction', chain, turn: 40, detail });
  };
  const archive = (detail: object) => eventOf({ id: 'a', kind: 'archive_stored', turn: 40, detail });

  it('is the compaction that names the archive', () => {
    const both = [compaction('c', { archive: 'x' }), compaction('d', { archive: 'y' })];
    expect(compactionOf(both, archive({ archive: 'y' }))?.id).toBe('d');
    expect(compactionOf(both, archive({ archive: 'z' }))).toBeNull();
  });
  it('is the compaction after the same turn if the client names no archive', () => {
    expect(compactionOf([compaction('c', {})], archive({}))?.id).toBe('c');
    expect(compactionOf([compaction('c', {}, 'agent-a')], archive({}))).toBeNull();
  });
});

it('separates the state of a compaction’s archive from its details', () => {
  const archive = { state: 'stored' as const, path: '/runs/a.jsonl', bytes: 12 };
  const named = eventOf({ id: 'n', kind: 'compaction', detail: { archive } });
  expect(archiveOf(named)).toEqual({ state: 'stored', detail: { path: '/runs/a.jsonl', bytes: 12 } });
});

it('numbers the compactions of the main chain', () => {
  const boundaries = ['c1', 'c2'].map((eventId) => boundaryOf({ eventId }));
  expect(ordinalOf(boundaries, find('c2'))).toBe(2);
  expect(ordinalOf(boundaries, find('blocked'))).toBeNull();
});
