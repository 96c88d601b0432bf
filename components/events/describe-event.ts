/** One event in words: the main figures, and a short note. */
import type { EventData, EventDetail, EventKind } from '@/core/events/details';
import { KINDS } from '@/core/events/kinds';
import { troubleSentence } from '@/core/events/trouble-sentence';
import { formatBytes } from '../format/format-bytes';
import { formatPercent } from '../format/format-percent';
import { formatCount, formatExact, formatSizes, formatTokens } from '../format/format-tokens';
import { boundWord, limitSign, limitSourceWords } from '../format/session-words';
import { STATE_WORD } from '../ui/state-label';

type Words = string | [text: string, note: string];

export function describeEvent<K extends EventKind>({ kind, detail }: EventData<K>) {
  const describe: (detail: EventDetail<K>) => Words = WORDS[kind];
  const words = describe(detail);
  const [text, note] = typeof words === 'string' ? [words, ''] : words;
  return { name: KINDS[kind].label, text, note };
}

const WORDS: { [K in EventKind]: (detail: EventDetail<K>) => Words } = {
  session_started: ({ reason }) => reason,
  session_ended: ({ reason }) => reason ?? '',
  state_changed: ({ from, to, pressure }) => [
    `${STATE_WORD[from]} → ${STATE_WORD[to]}`,
    formatPercent(pressure),
  ],
  approaching_redline: ({ pressure }) => ['reached', formatPercent(pressure)],
  redlined: ({ used, limit }) => [
    `${tokens(used)} of ${tokens(limit)}`,
    used === null || limit === null || limit <= 0 ? '' : formatPercent(used / limit),
  ],
  window_changed: ({ from, fromSource, to, source }) => [
    `${limitSign(fromSource)}${formatTokens(from)} → ${limitSign(source)}${formatTokens(to)}`,
    limitSourceWords(source),
  ],
  restart: ({ continuation, pressure }) => [
    `continuation ${continuation}`,
    pressure === null ? '' : formatPercent(pressure),
  ],
  compaction: (detail) => [compactionWords(detail), detail.trigger],
  context_cleared: ({ tokensCleared }) =>
    tokensCleared === null ? 'context cleared' : `${formatExact(tokensCleared)} cleared`,
  context_compressed: ({ before, after, removed }) => [
    `${formatExact(before)} → ${formatExact(after)}`,
    removed === undefined ? '' : formatCount(removed, 'message'),
  ],
  tracking_disabled: () => 'a turn without usage',
  tracking_enabled: () => 'usage is reported again',
  archive_stored: (detail) => [archiveSize(detail), detail.trigger ?? ''],
  archive_skipped: archiveReason,
  archive_failed: archiveReason,
  archive_damaged: archiveReason,
  archive_healed: (detail) => [archiveSize(detail), detail.trigger ?? ''],
  turns_dropped: ({ count, bound }) => `${boundWord(bound)}${formatExact(count)} not received`,
  command: ({ action, state, reason }) => [state === 'done' ? action : `${action} refused`, reason ?? ''],
  thrash: (detail) => troubleSentence({ kind: 'thrash', detail }),
  cache_storm: (detail) => troubleSentence({ kind: 'cache_storm', detail }),
};

/** States of a compaction in words; empty for a confirmed one. */
export const COMPACTION_STATE: Readonly<Record<EventDetail<'compaction'>['state'], string>> = {
  pending: 'started, not confirmed yet',
  confirmed: '',
  blocked: 'blocked by a hook',
  failed: 'failed; the context continues',
};

function compactionWords(detail: EventDetail<'compaction'>): string {
  const { before, after } = compactionSizes(detail);
  if (detail.state !== 'confirmed') return COMPACTION_STATE[detail.state];
  return before === null ? 'context summarised' : formatSizes(before, after, formatExact);
}

function archiveReason({ reason, trigger }: EventDetail<'archive_failed'>): Words {
  return [reason ?? 'no reason stated', trigger ?? ''];
}

function tokens(value: number | null): string {
  return value === null ? '?' : formatExact(value);
}

/** `3.7 MB, 870 lines` */
export function archiveSize(detail: Pick<EventDetail<'archive_stored'>, 'bytes' | 'lines'>): string {
  const { bytes, lines } = detail;
  const parts = [
    bytes !== undefined && formatBytes(bytes),
    lines !== undefined && `${formatExact(lines)} lines`,
  ];
  return parts.filter(Boolean).join(', ') || 'transcript kept';
}

/** Tokens before a compaction, preferably by the client's count, and after it, preferably by the first reading. */
export function compactionSizes(detail: EventDetail<'compaction'>) {
  const before = detail.preTokens ?? detail.lastReading ?? null;
  const after = detail.firstReading ?? detail.postTokens ?? null;
  return { before, after, freed: before === null || after === null ? null : before - after };
}
