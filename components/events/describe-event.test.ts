import { describe, expect, it } from 'vitest';
import type { EventData } from '@/core/events/details';
import { eventOf } from '@/core/events/event.fixture';
import { EVENT_KINDS, KINDS } from '@/core/events/kinds';
import { compactionSizes, describeEvent } from './describe-event';

const plain = (event: EventData) => {
  const { text, note } = describeEvent(event);
  return `${text} | ${note}`.replaceAll(/[\u00a0\u202f]/g, ' ');
};
const compaction = { kind: 'compaction', id: 'c' } as const;

describe('describeEvent', () => {
  it.each<[EventData, string]>([
    [eventOf({ id: 'e', kind: 'session_started', detail: { reason: 'resumed' } }), 'resumed | '],
    [eventOf({ id: 'e', kind: 'session_ended', detail: { reason: 'logout' } }), 'logout | '],
    [eventOf({ id: 'e', kind: 'state_changed', detail: { to: 'redlined' } }), 'elevated → over limit | 76 %'],
    [eventOf({ id: 'e', kind: 'approaching_redline' }), 'reached from below | 91 %'],
    [eventOf({ id: 'e', kind: 'redlined' }), '210 000 of 200 000 | 105 %'],
    [
      eventOf({ id: 'e', kind: 'restart', detail: { continuation: 2, pressure: 0.9 } }),
      'continuation 2 | 90 %',
    ],
    [eventOf({ ...compaction, detail: { state: 'pending' } }), 'started, not confirmed yet | auto'],
    [
      eventOf({ ...compaction, detail: { state: 'failed', trigger: 'manual' } }),
      'failed; the context continues | manual',
    ],
    [
      eventOf({ ...compaction, detail: { preTokens: 155_413, postTokens: 9_000, firstReading: 59_944 } }),
      '155 413 → 59 944 | auto',
    ],
    [eventOf({ ...compaction, detail: { preTokens: 155_413 } }), '155 413 → ? | auto'],
    [eventOf({ id: 'e', kind: 'context_cleared', detail: { tokensCleared: 90_211 } }), '90 211 cleared | '],
    [eventOf({ id: 'e', kind: 'context_compressed' }), '160 000 → 120 000 | 14 messages'],
    [
      eventOf({ id: 'e', kind: 'archive_stored', detail: { bytes: 3_700_000, lines: 870, trigger: 'auto' } }),
      '3.7 MB, 870 lines | auto',
    ],
    [
      eventOf({ id: 'e', kind: 'archive_skipped', detail: { reason: 'no transcript', trigger: 'auto' } }),
      'no transcript | auto',
    ],
    [eventOf({ id: 'e', kind: 'archive_failed' }), 'no reason stated | '],
    [eventOf({ id: 'e', kind: 'turns_dropped', detail: { count: 1_214 } }), '1 214 never arrived | '],
  ])('describes %j', (event, expected) => {
    expect(plain(event)).toBe(expected);
  });

  it('names every kind by the table', () => {
    for (const kind of EVENT_KINDS)
      expect(describeEvent(eventOf({ id: kind, kind })).name).toBe(KINDS[kind].label);
  });
});

it('takes the sizes of a compaction from the client before, and from the first reading after', () => {
  const sizes = (detail: Parameters<typeof eventOf<'compaction'>>[0]['detail']) =>
    compactionSizes(eventOf({ ...compaction, ...(detail && { detail }) }).detail);
  expect(
    sizes({ preTokens: 155_413, lastReading: 150_000, postTokens: 9_000, firstReading: 59_944 }),
  ).toEqual({
    before: 155_413,
    after: 59_944,
    freed: 95_469,
  });
  expect(sizes({ lastReading: 150_000 })).toEqual({ before: 150_000, after: null, freed: null });
});
