import { describe, expect, it } from 'vitest';
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
const ids = (rows: readonly NamedTranscript[], id: string, detail: Record<string, unknown> = {}) =>
  matchTranscripts(rows, { id, detail }).map((one) => one.id);

describe('transcripts of an event', () => {
  it('are those that name it, the one as it was at the hook first', () => {
    const rows = [
      row({ id: 'completed', eventId: 'e1', version: 'completed' }),
      row({ id: 'hook', eventId: 'e1' }),
      row({ id: 'other', eventId: 'e2' }),
    ];
    expect(ids(rows, 'e1')).toEqual(['hook', 'completed']);
  });

  it('are those whose archive the event names, in a list, in its copy, or as a notice does', () => {
    const rows = [row({ id: 'x', archive: 'u1' }), row({ id: 'y', archive: 'u2' }), row({ id: 'z' })];
    expect(ids(rows, 'e', { archives: ['u1', 'u2', 7] })).toEqual(['x', 'y']);
    expect(ids(rows, 'e', { archive: { archive: 'u2' } })).toEqual(['y']);
    expect(ids(rows, 'e', { archive: 'u1' })).toEqual(['x']);
  });

  it('are those of the same bytes; and none where nothing is said', () => {
    const rows = [row({ id: 'x', sha256: 'aa' }), row({ id: 'y' })];
    expect(ids(rows, 'e', { archive: { state: 'stored', sha256: 'aa' } })).toEqual(['x']);
    expect(ids(rows, 'e', { sha256: 'aa' })).toEqual(['x']);
    expect(ids(rows, 'e', { archive: null, archives: 'u1' })).toEqual([]);
  });
});
