import { expect, it } from 'vitest';
import { fc } from '../../core/testing/property-runs';
import { figuresFrom, mergeCalls, normalCall, placedCall, turnRow } from './columns';

const some = fc.constantFrom(undefined, 5);
const usage = fc.record({ input: some, output: some, cacheRead: some, cacheCreation: some });
const limitSource = fc.constantFrom(undefined, 'client', 'status_line', 'api_error');
const report = fc.record({
  source: fc.nat(3),
  model: fc.constantFrom(undefined, 'm'),
  limit: some,
  limitSource,
  usage,
});

it('the row of a call keeps its hash, its reporters and the source of each figure', () => {
  const base = { streamId: 1, seq: 1, runnerTime: 0, serverTime: 0, clockAgrees: true, callKey: '8' };
  const property = fc.property(
    fc.array(report, { minLength: 2, maxLength: 6 }),
    fc.nat(2 ** 22 - 1),
    (all, hash) => {
      const [first, ...others] = all.map(({ source, ...figures }) => {
        const item = normalCall({ type: 'turn', seq: 1, session: 's', at: 0, call: 'c', ...figures }, '8');
        return {
          ...base,
          position: 0,
          arrivals: [],
          hash: `${hash}`,
          source,
          item,
          figures: figuresFrom(item, source),
        };
      });
      if (!first) return;
      for (const other of others) {
        const merge = mergeCalls(first, other);
        if (merge.kind === 'conflict') continue;
        const { item, figures } = merge;
        Object.assign(first, { item, figures, source: Math.min(first.source, other.source) });
      }
      const row = turnRow(first, { sessionId: 1, chain: 0, modelId: null }, null);
      for (const column of [row.hash, row.bits]) expect(column).toBe(column | 0);
      expect(
        placedCall({ ...row, chainKey: 'main', model: first.item.model ?? null, refuted: null }),
      ).toEqual(first);
    },
  );
  fc.assert(property);
});
