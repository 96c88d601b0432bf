import { describe, expect, it } from 'vitest';
import { EVENT_KINDS, type EventKind } from '@/core/api/session';
import { eventOf } from '../charts/series-fixture';
import { describeEvent, freedTokens } from './describe-event';

const thin = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ');
const compaction = (detail: Record<string, unknown>) =>
  describeEvent(eventOf({ id: 'c', kind: 'compaction', detail }));

const EVENT_SIGNS = [
  ...['state', 'tear', 'no-tear', 'restart', 'clear', 'notch', 'line', 'begin', 'end', 'trace', 'gap'],
  ...['sheet', 'no-sheet', 'thrash', 'cache_storm'],
];

describe('describeEvent', () => {
  it.each<[EventKind, Record<string, unknown>, string]>([
    ['session_started', { reason: 'resumed' }, 'session started | resumed | '],
    ['session_ended', { reason: 'logout' }, 'session ended | logout | '],
    [
      'state_changed',
      { from: 'elevated', to: 'warning', pressure: 0.76 },
      'state | elevated → warning | 76 %',
    ],
    ['approaching_redline', { pressure: 0.91 }, 'restart line | reached from below | 91 %'],
    ['redlined', { used: 210_000, limit: 200_000 }, 'limit passed | 210 000 of 200 000 | 105 %'],
    ['restart', { continuation: 2, pressure: 0.9 }, 'restart | continuation 2 | 90 %'],
    ['compaction', { state: 'pending', trigger: 'auto' }, 'compaction | announced, not confirmed yet | auto'],
    [
      'compaction',
      { state: 'failed', trigger: 'manual' },
      'compaction | failed, the context stands | manual',
    ],
    ['context_cleared', { tokensCleared: 90_211 }, 'cleared | 90 211 cleared | '],
    [
      'context_compressed',
      { before: 160_000, after: 120_000, removed: 14 },
      'compressed | 160 000 → 120 000 | 14 messages',
    ],
    ['tracking_disabled', {}, 'tracking lost | a turn without usage | '],
    ['tracking_enabled', {}, 'tracking back | usage is reported again | '],
    [
      'archive_stored',
      { bytes: 3_700_000, lines: 870, trigger: 'auto' },
      'archive stored | 3.7 MB, 870 lines | auto',
    ],
    [
      'archive_skipped',
      { reason: 'no transcript', trigger: 'auto' },
      'archive skipped | no transcript | auto',
    ],
    ['archive_failed', {}, 'archive failed | no reason stated | '],
    ['turns_dropped', { count: 1_214 }, 'turns lost | 1 214 never arrived | '],
  ])('says of %s with %j: %s', (kind, detail, expected) => {
    const { name, text, note } = describeEvent(eventOf({ id: 'e', kind, detail }));
    expect(thin(`${name} | ${text} | ${note}`)).toBe(expected);
  });

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
      glyph: { kind: 'no-tear' },
      text: 'blocked before it began',
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
      expect(EVENT_SIGNS, kind).toContain(row.glyph.kind);
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
