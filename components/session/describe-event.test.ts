import { describe, expect, it } from 'vitest';
import { EVENT_KINDS } from '@/core/api/session';
import { eventOf } from '../charts/series-fixture';
import { describeEvent, freedTokens } from './describe-event';

const thin = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ');
const compaction = (detail: Record<string, unknown>) =>
  describeEvent(eventOf({ id: 'c', kind: 'compaction', detail }));

describe('describeEvent', () => {
  it('gives a compaction as before → first reading after, with its trigger', () => {
    const row = compaction({
      trigger: 'auto',
      state: 'confirmed',
      preTokens: 155_413,
      postTokens: 9_000,
      firstReading: 59_944,
    });
    expect(thin(row.text)).toBe('155 413 → 59 944');
    expect(row).toMatchObject({ glyph: { kind: 'tear' }, note: 'auto' });
  });
  it('leaves the after open until the first reading, and shows no tear for what was blocked', () => {
    expect(thin(compaction({ trigger: 'auto', preTokens: 155_413 }).text)).toBe('155 413 → ?');
    expect(compaction({ trigger: 'manual', state: 'blocked', preTokens: 90_000 })).toMatchObject({
      glyph: { kind: 'none' },
      text: 'blocked',
    });
  });
  it('names states as the rest of the page does', () => {
    const row = describeEvent(
      eventOf({
        id: 's',
        kind: 'state_changed',
        detail: { from: 'critical', to: 'redlined', pressure: 1.2 },
      }),
    );
    expect(row.text).toBe('critical → over limit');
    expect(thin(row.note)).toBe('120 %');
  });
  it('has a row for every kind, whatever a runner put into the details', () => {
    for (const kind of EVENT_KINDS) {
      const row = describeEvent(
        eventOf({
          id: kind,
          kind,
          detail: { from: 7, to: {}, reason: ['x'], preTokens: 'many', used: null, count: NaN },
        }),
      );
      expect(row.name, kind).not.toBe('');
      expect(`${row.text}${row.note}`, kind).not.toMatch(/NaN|undefined|null|object/);
    }
  });
});

describe('freedTokens', () => {
  it('is the distance between before and the first reading after', () => {
    expect(freedTokens({ preTokens: 155_413, firstReading: 59_944 })).toEqual({
      before: 155_413,
      after: 59_944,
      freed: 95_469,
    });
    expect(freedTokens({ preTokens: 155_413 })).toBeNull();
  });
});
