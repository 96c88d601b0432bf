import { describe, expect, it } from 'vitest';
import { sessionOf } from '../format/testing/session-fixture';
import { prepareLines } from './prepare-lines';

const learned = sessionOf({
  compactions: 3,
  compactsAt: 155_000,
  nextBoundary: {
    kind: 'compaction',
    at: 155_000,
    left: 19_000,
    passed: false,
    turns: 16,
    minutes: 18,
    source: 'learned',
  },
});
const noteOf = (boundaries: Parameters<typeof prepareLines>[1]['boundaries']) =>
  prepareLines(learned, { unit: 'percent', top: 110, boundaries }).find(({ id }) => id === 'compaction')
    ?.note;

describe('the lines of the sheet', () => {
  it('count only compactions that the client began by itself as what a point was learned from', () => {
    const of = (trigger: string | null) => ({ kind: 'compaction', trigger }) as const;
    expect(noteOf([of('auto'), of('manual'), of('auto'), { kind: 'restart', trigger: 'auto' }])).toBe(
      'seen at 2 compactions',
    );
    expect(noteOf([of('manual'), of('auto')])).toBe('seen at 1 compaction');
    expect(noteOf([of('manual'), of(null)])).toBe('learned from this session');
  });

  it('are there from the top down, and none above the axis or for a restart that never comes', () => {
    const ids = (fields: Parameters<typeof sessionOf>[0], top = 110) =>
      prepareLines(sessionOf(fields), { unit: 'percent', top, boundaries: [] }).map(({ id }) => id);
    expect(ids({})).toEqual(['limit', 'restart', 'compaction']);
    expect(ids({ restartLine: 1.1 })).toEqual(['limit', 'compaction']);
    expect(ids({}, 95)).toEqual(['restart', 'compaction']);
  });
});
