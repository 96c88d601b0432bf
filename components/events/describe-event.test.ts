import { describe, expect, it } from 'vitest';
import type { EventData, EventKind } from '@/core/events/details';
import { eventOf } from '@/core/events/event.fixture';
import { EVENT_KINDS, KINDS } from '@/core/events/kinds';
import { compactionSizes, describeEvent } from './describe-event';

const plain = (event: EventData) => {
  const { text, note } = describeEvent(event);
  return `${text} | ${note}`.replaceAll(/[\u00a0\u202f]/g, ' ');
};

describe('describeEvent', () => {
  it.each<[EventKind, object, string]>([
    ['session_started', { reason: 'resumed' }, 'resumed | '],
    ['session_ended', { reason: 'logout' }, 'logout | '],
    ['state_changed', { to: 'redlined' }, 'elevated → over limit | 76 %'],
    ['approaching_redline', {}, 'reached | 91 %'],
    ['redlined', {}, '210 000 of 200 000 | 105 %'],
    ['window_changed', {}, '200 k → 1.00 M | stated by the client'],
    [
      'window_changed',
      { fromSource: 'assumed', source: 'status_line', model: null },
      '≈200 k → 1.00 M | stated by the status line',
    ],
    ['restart', { continuation: 2, pressure: 0.9 }, 'continuation 2 | 90 %'],
    ['compaction', { state: 'pending' }, 'started, not confirmed yet | auto'],
    ['compaction', { state: 'failed', trigger: 'manual' }, 'failed; the context continues | manual'],
    [
      'compaction',
      { preTokens: 155_413, postTokens: 9_000, firstReading: 59_944 },
      '155 413 → 59 944 | auto',
    ],
    ['compaction', { preTokens: 155_413 }, 'from 155 413 | auto'],
    ['context_cleared', { tokensCleared: 90_211 }, '90 211 cleared | '],
    ['context_compressed', {}, '160 000 → 120 000 | 14 messages'],
    ['archive_stored', { bytes: 3_700_000, lines: 870, trigger: 'auto' }, '3.7 MB, 870 lines | auto'],
    ['archive_skipped', { reason: 'no transcript', trigger: 'auto' }, 'no transcript | auto'],
    ['archive_failed', {}, 'no reason stated | '],
    ['turns_dropped', { count: 1_214 }, '1 214 not received | '],
    ['turns_dropped', { count: 100, bound: 'atLeast' }, 'at least 100 not received | '],
    ['turns_dropped', { count: 38, bound: 'atMost' }, 'up to 38 not received | '],
  ])('describes %s %o as %s', (kind, detail, expected) => {
    expect(plain(eventOf({ id: 'e', kind, detail }))).toBe(expected);
  });

  it('names each event kind as in the table of kinds', () => {
    for (const kind of EVENT_KINDS)
      expect(describeEvent(eventOf({ id: kind, kind })).name).toBe(KINDS[kind].label);
  });
});

it('takes the size before a compaction from the client, and the size after it from the first reading', () => {
  const sizes = (detail: Parameters<typeof eventOf<'compaction'>>[0]['detail']) =>
    compactionSizes(eventOf({ kind: 'compaction', id: 'c', ...(detail && { detail }) }).detail);
  const all = sizes({ preTokens: 155_413, lastReading: 150_000, postTokens: 9_000, firstReading: 59_944 });
  expect(all).toEqual({ before: 155_413, after: 59_944, freed: 95_469 });
  expect(sizes({ lastReading: 150_000 })).toEqual({ before: 150_000, after: null, freed: null });
});
