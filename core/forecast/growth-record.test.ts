import { describe, expect, it } from 'vitest';
import { carryGrowth, closeRecord, emptyGrowthRecord, recordTurn } from './growth-record';
import { meanOf } from './tally';

describe('the growth record', () => {
  it('adds growth by a reading between two turns to the next turn', () => {
    const apart = emptyGrowthRecord();
    recordTurn(apart, 1, 0);
    carryGrowth(apart, 0.5, 1_800);
    recordTurn(apart, 0.5, 200);
    const whole = emptyGrowthRecord();
    recordTurn(whole, 1, 0);
    recordTurn(whole, 1, 2_000);
    expect(apart).toEqual(whole);
  });

  it('starts a context without growth, and keeps the pace and the previous context’s rate', () => {
    const record = emptyGrowthRecord();
    for (let i = 0; i < 12; i += 1) recordTurn(record, 1, 3_000);
    carryGrowth(record, 1, 7_000);
    closeRecord(record);
    expect(record).toMatchObject({ turns: 0, growth: [0, 0, 0, 0], carried: [0, 0], elapsed: [0, 0] });
    expect(record.past[0]).toBe(1);
    expect(Math.exp(record.past[1])).toBeCloseTo(3_000, -1);
    expect(meanOf(record.pace)).toBeCloseTo(1, 2);
  });

  it('counts each pause as ten minutes at most, even several in a row', () => {
    const record = emptyGrowthRecord();
    for (const minutes of [600, 900, 900, -5]) recordTurn(record, minutes, 1_000);
    expect(record.elapsed).toEqual([30, 4_000]);
    expect(meanOf(record.pace)).toBeLessThan(10);
  });

  it('learns nothing from a context of few turns, or from a context that shrank', () => {
    const record = emptyGrowthRecord();
    for (let i = 0; i < 4; i += 1) recordTurn(record, 1, 3_000);
    closeRecord(record);
    for (let i = 0; i < 20; i += 1) recordTurn(record, 1, -100);
    closeRecord(record);
    expect(record.past).toEqual([0, 0]);
  });

  it('stays small for sessions of any length', () => {
    const record = emptyGrowthRecord();
    for (let context = 0; context < 50; context += 1) {
      for (let i = 0; i < 200; i += 1) recordTurn(record, 0.123456 * i, 1_234.567 * i);
      closeRecord(record);
    }
    for (let i = 0; i < 200; i += 1) recordTurn(record, 0.123456 * i, 1_234.567 * i);
    expect(JSON.stringify(record).length).toBeLessThan(220);
  });
});
