import { describe, expect, it } from 'vitest';
import { listBoundaries } from '../../charts/list-marks';
import { contextOf, pointOf } from '../../charts/series-fixture';
import { prepareStrip, stripWords } from './prepare-strip';

const contexts = [
  contextOf({
    index: 0,
    endedAt: new Date(250_000).toISOString(),
    endedBy: 'compaction',
    turnCount: 4,
    peakOccupancy: 154_000,
  }),
  contextOf({ index: 1, turnCount: 1 }),
];
const points = [1, 2, 3, 4]
  .map((n) => pointOf({ n, used: n * 30_000 }))
  .concat([5, 6].map((n) => pointOf({ n, context: 1, used: n * 10_000 })));
const strip = (axis: 'time' | 'turns') =>
  prepareStrip({
    lens: 'snapshot',
    contexts,
    boundaries: listBoundaries(contexts, [], 'snapshot'),
    points,
    axis,
    firstAt: 60_000,
    endAt: 400_000,
  });

describe('prepareStrip', () => {
  it('lays the contexts end to end over time', () => {
    expect(strip('time').map(({ fromX, toX, end }) => [fromX, toX, end?.kind])).toEqual([
      [60_000, 250_000, 'compaction'],
      [250_000, 400_000, undefined],
    ]);
  });
  it('counts the open context from the turns on screen, not from what was read earlier', () => {
    expect(strip('turns').map(({ turns, peak }) => [turns, peak])).toEqual([
      [4, 154_000],
      [2, 60_000],
    ]);
    expect(strip('turns').map(({ fromX, toX }) => [fromX, toX])).toEqual([
      [0, 4.5],
      [4.5, 6],
    ]);
  });
});

describe('stripWords', () => {
  it('says as much as there is room for', () => {
    const [first] = strip('time');
    if (!first) throw new Error('no context');
    expect(stripWords(first, 300)).toEqual({ name: 'context 0', rest: '4 turns, peak 154\u00a0k' });
    expect(stripWords(first, 100)).toEqual({ name: '0', rest: '4 turns' });
    expect(stripWords(first, 10)).toEqual({ name: '', rest: '' });
    expect(stripWords({ ...first, complete: false }, 100).rest).toBe('≥4 turns');
  });
});
