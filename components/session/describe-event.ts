/** One event as a row: what it is, what it says, and a short figure at the right. */

import type { PressureState } from '@/core/accounting/types';
import type { SessionEvent } from '@/core/api/session';
import { troubleSentence } from '@/core/api/trouble-sentence';
import { formatBytes } from '../format/format-bytes';
import { formatPercent } from '../format/format-percent';
import { formatCount, formatExact } from '../format/format-tokens';
import { STATE_WORD } from '../ui/state-label';

export interface EventRow {
  glyph:
    | { kind: 'state'; state: PressureState }
    | {
        kind:
          | 'tear'
          | 'no-tear'
          | 'restart'
          | 'clear'
          | 'notch'
          | 'line'
          | 'begin'
          | 'end'
          | 'trace'
          | 'gap'
          | 'sheet'
          | 'no-sheet'
          | 'thrash'
          | 'cache_storm';
      };
  name: string;
  text: string;
  note: string;
}

export function describeEvent(event: SessionEvent): EventRow {
  const { detail } = event;
  switch (event.kind) {
    case 'session_started':
      return plain('begin', 'session started', word(detail.reason) || 'startup');
    case 'session_ended':
      return plain('end', 'session ended', word(detail.reason));
    case 'state_changed': {
      const to = stateOf(detail.to);
      return {
        glyph: { kind: 'state', state: to ?? 'unknown' },
        name: 'state',
        text: `${stateWord(detail.from)} → ${stateWord(detail.to)}`,
        note: share(detail.pressure),
      };
    }
    case 'approaching_redline':
      return { ...plain('line', 'restart line', 'reached from below'), note: share(detail.pressure) };
    case 'redlined':
      return {
        glyph: { kind: 'state', state: 'redlined' },
        name: 'limit passed',
        text: `${tokens(detail.used)} of ${tokens(detail.limit)}`,
        note: ratioOf(detail.used, detail.limit),
      };
    case 'restart':
      return {
        glyph: { kind: 'restart' },
        name: 'restart',
        text:
          count(detail.continuation) === null
            ? word(detail.reason)
            : `continuation ${count(detail.continuation)}`,
        note: share(detail.pressure),
      };
    case 'compaction':
      return describeCompaction(event);
    case 'context_cleared':
      return {
        glyph: { kind: 'clear' },
        name: 'cleared',
        text:
          count(detail.tokensCleared) === null
            ? 'context cleared'
            : `${tokens(detail.tokensCleared)} cleared`,
        note: '',
      };
    case 'context_compressed': {
      const removed = count(detail.removed);
      return {
        ...plain('notch', 'compressed', `${tokens(detail.before)} → ${tokens(detail.after)}`),
        note: removed === null ? '' : formatCount(removed, 'message'),
      };
    }
    case 'tracking_disabled':
      return {
        glyph: { kind: 'state', state: 'untracked' },
        name: 'tracking lost',
        text: 'a turn without usage',
        note: '',
      };
    case 'tracking_enabled':
      return plain('trace', 'tracking back', 'usage is reported again');
    case 'archive_stored':
      return { ...plain('sheet', 'archive stored', archiveSize(detail)), note: word(detail.trigger) };
    case 'archive_skipped':
      return { ...plain('no-sheet', 'archive skipped', reason(detail)), note: word(detail.trigger) };
    case 'archive_failed':
      return { ...plain('no-sheet', 'archive failed', reason(detail)), note: word(detail.trigger) };
    case 'archive_delayed':
      return { ...plain('no-sheet', 'archive held up', reason(detail)), note: word(detail.trigger) };
    case 'archive_damaged':
      return { ...plain('no-sheet', 'archive damaged', reason(detail)), note: word(detail.trigger) };
    case 'archive_healed':
      return { ...plain('sheet', 'archive whole again', archiveSize(detail)), note: word(detail.trigger) };
    case 'turns_dropped':
      return plain('gap', 'turns lost', `${tokens(detail.count, 'some')} never arrived`);
    case 'thrash':
      return plain('thrash', 'thrash', troubleSentence('thrash', detail));
    case 'cache_storm':
      return plain('cache_storm', 'cache storm', troubleSentence('cache_storm', detail));
  }
}

function describeCompaction({ detail }: SessionEvent): EventRow {
  const before = count(detail.preTokens) ?? count(detail.lastReading);
  const after = count(detail.firstReading) ?? count(detail.postTokens);
  const state = word(detail.state);
  const done = state === '' || state === 'confirmed';
  const figures =
    before === null
      ? 'context summarised'
      : after === null
        ? `${formatExact(before)} → ?`
        : `${formatExact(before)} → ${formatExact(after)}`;
  return {
    glyph: { kind: done ? 'tear' : 'no-tear' },
    name: 'compaction',
    text: done ? figures : (COMPACTION[state] ?? state),
    note: word(detail.trigger),
  };
}

/** States of a compaction that ended no context. */
export const COMPACTION: Readonly<Record<string, string>> = {
  pending: 'announced, not confirmed yet',
  blocked: 'blocked before it began',
  failed: 'failed, the context stands',
};

type Sign = Exclude<EventRow['glyph']['kind'], 'state'>;

function plain(kind: Sign, name: string, text: string): EventRow {
  return { glyph: { kind }, name, text, note: '' };
}

function reason(detail: Record<string, unknown>): string {
  return word(detail.reason) || 'no reason stated';
}

/** Details come from runners: whatever is not of the expected kind is not shown. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function word(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function tokens(value: unknown, unknown = '?'): string {
  const known = count(value);
  return known === null ? unknown : formatExact(known);
}

function share(value: unknown): string {
  const known = count(value);
  return known === null ? '' : formatPercent(known);
}

function ratioOf(used: unknown, limit: unknown): string {
  const whole = count(limit);
  const part = count(used);
  return whole === null || part === null || whole <= 0 ? '' : formatPercent(part / whole);
}

function stateOf(value: unknown): PressureState | null {
  return typeof value === 'string' && Object.hasOwn(STATE_WORD, value) ? (value as PressureState) : null;
}

function stateWord(value: unknown): string {
  const state = stateOf(value);
  return state === null ? word(value) : STATE_WORD[state];
}

/** `3.7 MB, 870 lines` */
export function archiveSize(detail: Record<string, unknown>): string {
  const bytes = count(detail.bytes);
  const lines = count(detail.lines);
  const parts = [
    ...(bytes === null ? [] : [formatBytes(bytes)]),
    ...(lines === null ? [] : [`${formatExact(lines)} lines`]),
  ];
  return parts.join(', ') || 'transcript kept';
}

/** `−95 469`: tokens freed by a compaction; null while one side is not known. */
export function freedTokens(
  detail: Record<string, unknown>,
): { before: number; after: number; freed: number } | null {
  const before = count(detail.preTokens) ?? count(detail.lastReading);
  const after = count(detail.firstReading) ?? count(detail.postTokens);
  if (before === null || after === null) return null;
  return { before, after, freed: before - after };
}
