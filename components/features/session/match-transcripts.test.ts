import { describe, expect, it } from 'vitest';
import type { EventDetail } from '@/core/events/details';
import type { SessionEvent } from '@/core/events/event';
import { eventOf } from '@/core/events/event.fixture';
import { matchTranscripts, type NamedTranscript } from './match-transcripts';

const row = (change: Partial<NamedTranscript>): NamedTranscript => ({
  id: 'a',
  state: 'stored',
  version: 'hook',
  at: '2026-11-22T14:00:00Z',
  eventId: null,
  archive: null,
  sha256: null,
  ...change,
});
const compaction = (id: string, detail: Partial<EventDetail<'compaction'>> = {}) =>
  eventOf({ id, kind: 'compaction', detail });
const notice = (detail: EventDetail<'archive_stored'>) =>
  eventOf({ id: 'e', kind: 'archive_stored', detail });
const ids = (rows: readonly NamedTranscript[], event: SessionEvent) =>
  matchTranscripts(rows, event).map((one) => one.id);

describe('matchTranscripts', () => {
  it('finds transcripts that name the event, the copy at the hook first', () => {
    const rows = [
      row({ id: 'completed', eventId: 'e1', version: 'completed' }),
      row({ id: 'hook', eventId: 'e1' }),
      row({ id: 'other', eventId: 'e2' }),
    ];
    expect(ids(rows, compaction('e1'))).toEqual(['hook', 'completed']);
  });

  it('finds transcripts by the archive ids of a compaction or a notice', () => {
    const rows = [row({ id: 'x', archive: 'u1' }), row({ id: 'y', archive: 'u2' }), row({ id: 'z' })];
    expect(ids(rows, compaction('e', { archives: ['u1', 'u2'] }))).toEqual(['x', 'y']);
    expect(ids(rows, compaction('e', { archive: { state: 'stored', archive: 'u2' } }))).toEqual(['y']);
    expect(ids(rows, notice({ archive: 'u1' }))).toEqual(['x']);
  });

  it('finds transcripts by their hash, and none for an event without ids', () => {
    const rows = [row({ id: 'x', sha256: 'aa' }), row({ id: 'y' })];
    expect(ids(rows, compaction('e', { archive: { state: 'stored', sha256: 'aa' } }))).toEqual(['x']);
    expect(ids(rows, notice({ sha256: 'aa' }))).toEqual(['x']);
    expect(ids(rows, compaction('e'))).toEqual([]);
  });
});
