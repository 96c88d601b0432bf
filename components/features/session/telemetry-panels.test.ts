import { describe, expect, it } from 'vitest';
import { pointOf } from '../../charts/series-fixture';
import { sessionOf } from '../../format/testing/session-fixture';
import { emptyPanels, panelAmounts, TELEMETRY_PANELS } from './telemetry-panels';

const [cache, tokens] = TELEMETRY_PANELS;
if (cache === undefined || tokens === undefined) throw new Error('a panel is missing');
const points = [2, 3].map((n) =>
  pointOf({
    n,
    cacheRead: 1_000,
    cacheCreation: 10,
    input: 5,
    output: 7,
    totalCacheRead: n * 1_000,
    totalCacheCreation: n * 10,
  }),
);
const session = sessionOf();

describe('the words of a panel', () => {
  it('count the turns on a zoomed sheet, and say apart what all came to by its end', () => {
    expect(panelAmounts(cache, points, session, false)).toEqual({
      shown: [2_000, 20],
      soFar: [3_000, 30],
      inTotal: null,
    });
    expect(panelAmounts(tokens, points, session, false)).toEqual({
      shown: [10, 14],
      soFar: null,
      inTotal: null,
    });
  });

  it('count the session where the sheet is all of it', () => {
    expect(panelAmounts(cache, points, session, true)).toEqual({
      shown: null,
      soFar: [3_000, 30],
      inTotal: null,
    });
    expect(panelAmounts(tokens, points, session, true).inTotal).toEqual([100, 200]);
  });

  it('give way to a row of words where the session has nothing to draw', () => {
    const { totals } = session;
    expect([...emptyPanels(session)]).toEqual([]);
    const main = { ...totals.main, cacheRead: 0, cacheCreation: 0 };
    expect([...emptyPanels(sessionOf({ totals: { ...totals, main } }))]).toEqual(['cache']);
  });
});
