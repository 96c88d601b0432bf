import { describe, expect, it } from 'vitest';
import { listNotes } from './list-notes';
import { eventOf } from './series-fixture';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');
const only = (kind: Parameters<typeof eventOf>[0]['kind'], detail: Record<string, unknown>) => {
  const [note] = listNotes([eventOf({ id: 'e', kind, detail, turn: 7 })]);
  return note ? { ...note, text: plain(note.text) } : null;
};

describe('the notes of a sheet', () => {
  it('name lost turns and how many they are', () => {
    expect(only('turns_dropped', { count: 12 })).toMatchObject({ text: '12', note: 'turns lost', turn: 7 });
    expect(only('turns_dropped', { count: 1 })).toMatchObject({ text: '1', note: 'turn lost' });
  });
  it('show a compression with the tokens it fell by', () => {
    expect(only('context_compressed', { before: 160_000, after: 120_000, removed: 14 })).toMatchObject({
      text: '160 k → 120 k',
      note: 'compressed',
      isFall: true,
    });
  });
  it.each([
    ['pending', 'compaction announced'],
    ['blocked', 'compaction blocked'],
    ['failed', 'compaction failed'],
  ])('show a compaction that ended no context: %s', (state, note) => {
    expect(only('compaction', { state })).toMatchObject({ note, isFall: false });
  });
  it('show an archive that was not written, and leave alone what has a mark of its own', () => {
    expect(only('archive_failed', { reason: 'disk full' })).toMatchObject({ note: 'archive failed' });
    expect(only('archive_skipped', {})).toMatchObject({ note: 'archive skipped' });
    expect(only('archive_stored', {})).toBeNull();
    expect(only('compaction', { state: 'confirmed' })).toBeNull();
    expect(only('restart', {})).toBeNull();
  });
  it('name what goes wrong in the session', () => {
    expect(only('thrash', { form: 'refill', turns: 4 })).toMatchObject({ note: 'thrash', isFall: false });
    expect(only('cache_storm', {})).toMatchObject({ note: 'cache storm', isFall: false });
  });
  it('are those of the main chain, and no figures that a runner did not send', () => {
    expect(listNotes([eventOf({ id: 'e', kind: 'context_compressed', chain: 'agent-a' })])).toEqual([]);
    expect(only('context_compressed', { before: 'much', after: Number.NaN })).toMatchObject({
      text: '',
      isFall: true,
    });
  });
});
