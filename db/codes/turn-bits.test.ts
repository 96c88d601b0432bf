import { describe, expect, it } from 'vitest';
import { LIMIT_SOURCES } from '../../core/accounting/types';
import { fc } from '../../core/testing/property-runs';
import {
  flagBit,
  packReportBits,
  packTurnBits,
  type TurnBits,
  unpackReportBits,
  unpackTurnBits,
} from './turn-bits';

const flags = fc.record({
  estimated: fc.boolean(),
  untracked: fc.boolean(),
  noUsage: fc.boolean(),
  inherited: fc.boolean(),
  negative: fc.boolean(),
  clock: fc.boolean(),
  readingIgnored: fc.boolean(),
  readingOnly: fc.boolean(),
});
const turn: fc.Arbitrary<TurnBits> = fc.record({
  scope: fc.constantFrom('main', 'side'),
  basis: fc.constantFrom('total', 'input', 'estimate', null),
  limitSource: fc.constantFrom(...LIMIT_SOURCES),
  source: fc.nat(3),
  flags,
  hasCall: fc.boolean(),
  readingUsed: fc.boolean(),
  snapshotKnown: fc.boolean(),
  clockAgrees: fc.boolean(),
  figures: fc.nat(2 ** 11 - 1),
});

describe('turn bits', () => {
  it('survive packing and unpacking', () => {
    fc.assert(
      fc.property(turn, (value) => {
        expect(unpackTurnBits(packTurnBits(value))).toEqual(value);
      }),
    );
  });

  it('stay within a Postgres integer', () => {
    fc.assert(
      fc.property(turn, (value) => {
        const bits = packTurnBits(value);
        return bits === (bits | 0);
      }),
    );
  });

  it('have one bit per flag, for conditions in SQL', () => {
    fc.assert(
      fc.property(
        turn,
        (value) => ((packTurnBits(value) & flagBit('inherited')) !== 0) === value.flags.inherited,
      ),
    );
  });

  it('store source and clock of a report in the same bits', () => {
    expect(unpackReportBits(packReportBits(2, true))).toEqual({ source: 2, clockAgrees: true });
  });
});
