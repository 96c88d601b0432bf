import { describe, expect, it } from 'vitest';
import { listBoundaries } from '../../charts/list-marks';
import { contextOf, pointOf } from '../../charts/series-fixture';
import { listSpans, stripWords } from './prepare-strip';

const endedAt = new Date(250_000).toISOString();
const contexts = [
  contextOf({ index: 0, endedAt, endedBy: 'compaction', turnCount: 4, peakOccupancy: 154_000 }),
  contextOf({ index: 1, turnCount: 1 }),
];
const points = [1, 2, 3, 4]
  .map((n) => pointOf({ n, used: n * 30_000 }))
  .concat([5, 6].map((n) => pointOf({ n, context: 1, used: n * 10_000 })));
const boundaries = listBoundaries(contexts, [], 'snapshot');
const spans = listSpans({ lens: 'snapshot', startedAt: '' }, contexts, boundaries, points);

it('places contexts end to end and counts the turns of the open context from the points', () => {
  expect(spans).toMatchObject([
    { fromAt: 60_000, toAt: 250_000, fromTurn: 0, toTurn: 4.5, turns: 4, peak: 154_000 },
    { fromAt: 250_000, toAt: 360_000, fromTurn: 4.5, toTurn: 6, turns: 2, peak: 60_000 },
  ]);
  expect(spans.map(({ end }) => end?.kind)).toEqual(['compaction', undefined]);
});

describe('stripWords', () => {
  it('includes as many words as fit', () => {
    const [first] = spans;
    if (!first) throw new Error('no context');
    expect(stripWords(first, 300)).toEqual({ name: 'context 0', rest: '4 turns, peak 154\u00a0k' });
    expect(stripWords(first, 100)).toEqual({ name: '0', rest: '4 turns' });
    expect(stripWords(first, 10)).toEqual({ name: '', rest: '' });
    expect(stripWords({ ...first, complete: false }, 100).rest).toBe('≥4 turns');
  });
});
